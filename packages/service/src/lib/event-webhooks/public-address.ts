import { BlockList, isIP } from 'node:net'
import { hostOf, isLoopbackHost } from '@botwright/protocol/host'

/** IPv4 networks that are not part of the public internet: private, shared, local, documentation, test, relay and multicast. */
const notPublic4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic4.addSubnet(network, prefix, 'ipv4')

/** The only public IPv6 network. It does not include IPv4-mapped addresses. */
const public6 = new BlockList()
public6.addSubnet('2000::', 3, 'ipv6')
/** Excluded parts of it: special purposes (including Teredo), documentation, and 6to4, which can embed any IPv4 address. */
const notPublic6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic6.addSubnet(network, prefix, 'ipv6')

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic4.check(address, 'ipv4')
    case 6:
      // A zone names an interface of this machine.
      return !address.includes('%') && public6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
    default:
      return false
  }
}

/** Parses a URL. `URL` normalizes all notations of IPv4 addresses (octal, hexadecimal, single number). */
const parse = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // User name and password before the host serve only to deceive readers, and would end up in logs.
  return url && url.username === '' && url.password === '' ? url : undefined
}

/** Whether a URL is http or https on this machine. */
export function isLoopback(text: string): boolean {
  const url = parse(text)
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return false
  return isLoopbackHost(hostOf(url))
}

/** Suffixes of names that resolve only inside a local network. */
const insideNames =
  /\.(?:localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp|private|test|invalid|onion)$/

/** Whether a URL looks like a public https URL. The addresses of its host are checked at each delivery. */
function looksPublicHttps(text: string): boolean {
  const url = parse(text)
  if (url?.protocol !== 'https:') return false
  const host = hostOf(url)
  return isIP(host) === 0 ? host.includes('.') && !insideNames.test(host) : isPublicAddress(host)
}

/** Whether events may be posted to a URL: public https, or also this machine if allowed (§4, Event webhook delivery). */
export const isEventWebhookUrl = (text: string, allowLoopback: boolean): boolean =>
  looksPublicHttps(text) || (allowLoopback && isLoopback(text))
