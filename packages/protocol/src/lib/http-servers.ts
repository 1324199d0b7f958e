// Rules of the HTTP servers of the service and of bots.

import { isIP } from 'node:net'

/**
 * How long a server keeps an idle connection, in milliseconds: longer than common clients and reverse proxies keep theirs (60 s). If the server closed
 * it first, a request sent at that moment would fail with ECONNRESET, and a POST is not repeated.
 */
export const idleConnectionMs = 65_000

/**
 * Whether the `Host` header of a request names this machine: `localhost`, an IP address, or the name in `boundTo`. In a DNS rebinding
 * attack, the browser sends the attacker's host name instead.
 */
export function namesThisMachine(header: string, boundTo: string): boolean {
  const name = header
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  return name === 'localhost' || name === boundTo.toLowerCase() || isIP(name) !== 0
}
