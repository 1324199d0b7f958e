/** Addresses that no event webhook may reach, in all notations that are known to have bypassed checks. */

/** The first and last address of every network that is not public. */
export const privateIpv4 = `
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255
192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255`
  .trim()
  .split(/\s+/)

/** Addresses adjacent to these networks, and some well-known public ones. */
export const publicIpv4 = `
1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255`
  .trim()
  .split(/\s+/)

export const privateIpv6 = `
:: ::1 ::2 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::10.0.0.1
100::1 1fff:ffff:: 2001::1 2001:0:7f00:1:: 2001:1ff:ffff:: 2001:db8:: 2001:db8:ffff:ffff::1 2002:: 2002:7f00:1:: 2002:0a00:0001::1
2002:c0a8:0101:: 2002:a9fe:a9fe:: 2002:ffff:ffff:ffff::1 3fff:: 3fff:0fff:ffff::1 4000:: 5f00::1 fc00:: fc00::1 fd00:ec2::254
fdff:ffff::1 fe80:: fe80::1 febf::1 fec0::1 ff00:: ff02::1 ff05::1:3 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`
  .trim()
  .split(/\s+/)

export const publicIpv6 = `
2000:: 2001:200:: 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9:: 2003:: 2606:4700:4700::1111 2a00:1450:4001::1 3ffe:ffff:: 3fff:1000::`
  .trim()
  .split(/\s+/)

/** Names with the addresses that they resolve to; one private address among public ones is enough. */
export const privateNames: Record<string, string[]> = {
  'lan.example': ['192.168.1.1'],
  'rebound.example': ['127.0.0.1'],
  'rebound6.example': ['::1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.216.34', '10.0.0.1'],
  'mixed6.example': ['2606:4700:4700::1111', 'fd00::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'zone.example': ['fe80::1%lo'],
  'none.example': [],
  'nonsense.example': ['not an address'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'unspecified.example': ['0.0.0.0'],
  'xn--lcalhost-o2a.example': ['127.0.0.1'],
}

/** Typical targets of attacks: this machine, cloud metadata services, routers, containers. */
const wanted = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '172.17.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
]

const digits = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

/** All notations of an IPv4 address. */
function spellings(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const value = ((a * 256 + b) * 256 + c) * 256 + d
  const each = (write: (part: number) => string) => [a, b, c, d].map(write).join('.')
  const octal = (part: number) => `0${part.toString(8)}`
  const hex = (part: number) => `0x${part.toString(16)}`
  const pair = (high: number, low: number) => (high * 256 + low).toString(16)
  const groups = `${pair(a, b)}:${pair(c, d)}`
  return [
    address,
    `${address}.`,
    String(value),
    `${value}.`,
    `0${value.toString(8)}`,
    hex(value),
    hex(value).toUpperCase().replace('0X', '0x'),
    `0x0000${value.toString(16).padStart(8, '0')}`,
    each(octal),
    each((part) => `000${part.toString(8)}`),
    each(hex),
    [hex(a), octal(b), c, d].join('.'),
    `${a}.${value - a * 2 ** 24}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${hex(value - a * 2 ** 24)}`,
    digits(address, 0xff10),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '｡'),
    address.replaceAll('.', '%2e'),
    `%${address.charCodeAt(0).toString(16)}${address.slice(1)}`,
    `${address}%2e`,
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:ffff:${groups}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${groups}::]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
  ]
}

const names = `
localhost localhost. LOCALHOST LocalHost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ｌｏｃａｌｈｏｓｔ lo%63alhost loc\u00adalhost foo.localhost foo.localhost. a.b.localhost
localhost.localdomain printer.local printer.local. db.internal metadata.google.internal router.lan router.home nas.home.arpa wiki.corp
wiki.intranet box.private a.test a.invalid hidden.onion intranet router host.docker host.docker.internal ip6-localhost`
  .trim()
  .split(/\s+/)
  // Names with a local suffix, or without any.
  .filter((name) => name !== 'host.docker')

/** More than 300 URLs; `port` is that of a listener on this machine, which must never receive a request. */
export function privateUrls(port: number): string[] {
  const at = (host: string) => `https://${host}:${port}/hook`
  return [
    ...wanted.flatMap(spellings).map(at),
    ...privateIpv4.map(at),
    ...privateIpv6.map((address) => at(`[${address}]`)),
    ...names.map(at),
    ...names.map((name) => `https://${name}/`),
    // A public host before the @ and a private one after it, and vice versa.
    ...['127.0.0.1', 'localhost', '[::1]', '2130706433'].flatMap((host) => [
      at(`hooks.example@${host}`),
      at(`hooks.example:443@${host}`),
      at(`hooks.example%40@${host}`),
      at(`hooks.example%23@${host}`),
      `https://${host}:${port}@hooks.example/`,
      `https://@${host}:${port}/`,
      `https://:@${host}:${port}/`,
      `https:/${host}:${port}/`,
      `https:${host}:${port}/`,
      `https:\\\\${host}:${port}\\`,
      `https:///${host}:${port}/`,
      `https://\t${host}:${port}/\n`,
      ` https://${host}:${port}/ `,
      `HTTPS://${host}:${port}/#@hooks.example`,
      `https://${host}:${port}?@hooks.example`,
      `https://${host}:${port}\\@hooks.example/`,
    ]),
    // Not https.
    ...[
      'http',
      'ftp',
      'ws',
      'wss',
      'gopher',
      'file',
      'data',
      'javascript',
      'blob',
      'unix',
      'dict',
      'ldap',
      'jar:https',
    ].map((scheme) => `${scheme}://hooks.example:${port}/`),
    '',
    'hooks.example',
    '//hooks.example/',
    'https://',
    'https://?',
    'https://[::1',
    'https://[fe80::1%25lo]/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://0x/',
  ]
}
