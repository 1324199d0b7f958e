import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

const notPublic = new BlockList()
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  notPublic.addSubnet(address, prefix, 'ipv6')

const isPublic = (address: string) => !notPublic.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const parse = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined)
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

/** Whether an address is http or https on this machine. */
export function isLoopback(text: string): boolean {
  const url = parse(text)
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return false
  return ['localhost', '::1'].includes(bareHost(url)) || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
}

/** Whether an address could be a public https one, by its text alone; the names are looked up before each delivery. */
export function looksPublicHttps(text: string): boolean {
  const url = parse(text)
  if (url?.protocol !== 'https:') return false
  const host = bareHost(url)
  return isIP(host) === 0 ? host.includes('.') && !/\.(localhost|local|internal)$/.test(host) : isPublic(host)
}

/** Whether an address is https and every address behind its name is public: the service must not reach into a private network. */
export async function isPublicHttps(text: string): Promise<boolean> {
  if (!looksPublicHttps(text)) return false
  const addresses = await lookup(bareHost(new URL(text)), { all: true })
  return addresses.length > 0 && addresses.every(({ address }) => isPublic(address))
}
