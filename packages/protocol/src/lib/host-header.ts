import { isIP } from 'node:net'

/**
 * Whether the `Host` header of a request names this machine: `localhost`, an IP address, or the name in `boundTo`. A web page whose own
 * name points to a loopback address (DNS rebinding) sends its own name.
 */
export function namesThisMachine(header: string, boundTo: string): boolean {
  const name = header.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return name.toLowerCase() === 'localhost' || name === boundTo || isIP(name) !== 0
}
