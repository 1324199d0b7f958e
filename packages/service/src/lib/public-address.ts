import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are not part of the public internet: private, shared, local, for documentation, tests, relays and groups. */
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

/** The only IPv6 network that is public. What stands outside, IPv4 addresses in IPv6 clothes among them, is not. */
const public6 = new BlockList()
public6.addSubnet('2000::', 3, 'ipv6')
/** Inside it: special purposes (Teredo among them), documentation twice, and 6to4, behind which any IPv4 address may stand. */
const notPublic6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic6.addSubnet(network, prefix, 'ipv6')

/** Whether an IP address is one of the public internet. */
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

/** The host of an address as sockets take it: without brackets, and without the dot at its end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** `URL` reads every way in which an IPv4 address can be written (octal, hexadecimal, one number), and writes it in one. */
const parse = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // A name and password before the host only serve to deceive its reader, and would end in logs.
  return url && url.username === '' && url.password === '' ? url : undefined
}

/** Whether an address is http or https on this machine. */
export function isLoopback(text: string): boolean {
  const url = parse(text)
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return false
  return ['localhost', '::1'].includes(hostOf(url)) || /^127\.\d+\.\d+\.\d+$/.test(hostOf(url))
}

/** Endings of names that only mean something inside a network. */
const insideNames =
  /\.(?:localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp|private|test|invalid|onion)$/

/** Whether an address could be a public https one, by its text alone; where its name leads is seen at each delivery. */
function looksPublicHttps(text: string): boolean {
  const url = parse(text)
  if (url?.protocol !== 'https:') return false
  const host = hostOf(url)
  return isIP(host) === 0 ? host.includes('.') && !insideNames.test(host) : isPublicAddress(host)
}

/** Where events may be posted: public https addresses, on request also this machine (§4, Event webhook delivery). */
export const isEventWebhookUrl = (text: string, allowLoopback: boolean): boolean =>
  looksPublicHttps(text) || (allowLoopback && isLoopback(text))
