import { isIP } from 'node:net'

/**
 * Whether the `Host` header of a request names this machine: `localhost`, an IP address, or the name in `boundTo`. In a DNS rebinding
 * attack, the browser sends the attacker's host name instead.
 */
export function namesThisMachine(header: string, boundTo: string): boolean {
  const name = header.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return name.toLowerCase() === 'localhost' || name === boundTo || isIP(name) !== 0
}
