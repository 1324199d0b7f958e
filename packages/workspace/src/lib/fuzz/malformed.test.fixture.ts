import { connect } from 'node:net'
import { refusalFault } from './schema-calls.test.fixture.ts'

/** A generator of numbers in [0, 1), the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Random = () => number
const whole = (random: Random, below: number) => Math.floor(random() * below)
const pick = <T>(random: Random, from: readonly T[]): T => from[whole(random, from.length)]!
const bytesOf = (random: Random, count: number) => Buffer.from(Array.from({ length: count }, () => whole(random, 256)))

const channel = '/v1/channels/00000000-0000-0000-0000-000000000001/messages'
const auth = 'Authorization: Bot token-of-helper'

interface Parts {
  method?: string
  path?: string
  version?: string
  headers?: string[]
  body?: string | Buffer
  /** Defaults to the length of the body. */
  length?: string | null
}

function text({
  method = 'POST',
  path = channel,
  version = 'HTTP/1.1',
  headers = ['Host: 127.0.0.1', auth],
  body = '',
  length,
}: Parts): Buffer {
  const said = length === undefined ? String(Buffer.byteLength(body)) : length
  const lines = [`${method} ${path} ${version}`, ...headers, ...(said === null ? [] : [`Content-Length: ${said}`])]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
}

const good = () => text({ body: '{"content":"hello"}' })
const host = 'Host: 127.0.0.1'

/** Each generates bytes that are not a valid request. */
const kinds: Record<string, (random: Random) => Buffer> = {
  noise: (random) => bytesOf(random, 1 + whole(random, 300)),
  flipped(random) {
    const bytes = good()
    for (let i = 0; i <= whole(random, 5); i++) bytes[whole(random, bytes.length)] = whole(random, 256)
    return bytes
  },
  truncated(random) {
    const bytes = good()
    return bytes.subarray(0, 1 + whole(random, bytes.length - 1))
  },
  'request line': (random) =>
    text({
      method: pick(random, ['GET', 'get', 'BREW', 'PROPFIND', 'CONNECT', 'TRACE', 'G\0T', '', 'X'.repeat(3000), 'PRI']),
      path: pick(random, [
        '*',
        '/v1/me',
        'me',
        '',
        '/v1/me HTTP/1.1 x',
        '/v1/\tme',
        'http://evil.example/v1/me',
        '//v1//me',
        '/v1/me#x',
        '?',
      ]),
      version: pick(random, ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP', '', 'http/1.1', 'HTTP/1.1\n']),
    }),
  paths: (random) =>
    text({
      method: pick(random, ['GET', 'PUT', 'DELETE', 'POST']),
      path: `/v1/${pick(random, ['users', 'channels', 'servers', 'interactions', 'events?after=', 'me?', 'channels/x/messages?limit='])}/${pick(random, ['%', '%zz', '%00', '%ff%fe', '%E0%A4%A', '..%2f..%2fme', '../me', '\\..\\', "'", '%F0%9F', 'é', `${'a/'.repeat(900)}`, 'a'.repeat(9000), '[', '{}', '%25zz'])}`,
    }),
  headers: (random) =>
    text({
      headers: [
        ...pick(random, [
          [host],
          [],
          [host, host],
          ['Host:'],
          ['Host: evil.example'],
          ['Host: a b'],
          ['Host: \x00'],
          ['Host: [::1'],
        ]),
        ...pick(random, [
          ['no colon'],
          [': empty'],
          ['A b: c'],
          [' folded: x'],
          ['X: a\x00b'],
          [`X: ${'x'.repeat(20_000)}`],
          Array.from({ length: 1500 }, (_, i) => `X-${i}: y`),
          ['X: a\rb'],
          ['Upgrade: websocket', 'Connection: Upgrade'],
          ['Expect: 100-continue'],
          ['Expect: magic'],
          ['Connection: keep-alive, close, \x01'],
        ]),
        pick(random, [
          auth,
          'Authorization:',
          `Authorization: Bot ${'x'.repeat(9000)}`,
          'Authorization: Bot \xff\xfe',
          'Authorization: Bot a b c',
          `${auth}\r\n${auth}`,
        ]),
      ],
      body: '{}',
    }),
  lengths: (random) =>
    text({
      body: '{"content":"hello"}',
      length: pick(random, [
        '-1',
        '5',
        '100000',
        '99999999999999999999',
        'x',
        '',
        '0x13',
        '19, 19',
        '19\r\nContent-Length: 18',
        '1e1',
        '+19',
        null,
      ]),
    }),
  chunks: (random) =>
    text({
      length: pick(random, [null, null, '5']),
      headers: [
        host,
        auth,
        `Transfer-Encoding: ${pick(random, ['chunked', 'chunked', 'chunked', 'gzip', 'chunked, chunked', 'identity', 'x', '\x0bchunked'])}`,
      ],
      body: pick(random, [
        '5\r\nhello\r\n0\r\n\r\n',
        'zz\r\nhello\r\n',
        '-5\r\nhello',
        'ffffffffffffffff\r\nx',
        '5\r\nhel',
        '5;a=b\r\n{"a":\r\n0\r\n\r\n',
        '0\r\nX: y\r\n\r\n',
        '\r\n',
        `5;${'x'.repeat(20_000)}\r\nhello`,
        '5\nhello\n0\n\n',
      ]),
    }),
  bodies: (random) =>
    text({
      method: pick(random, ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']),
      path: pick(random, [
        channel,
        '/v1/commands',
        '/v1/me',
        '/v1/me/status',
        '/people/v1/sessions',
        '/v1/interactions/00000000-0000-0000-0000-000000000001/x/callback',
      ]),
      headers: [
        host,
        auth,
        `Content-Type: ${pick(random, ['application/json', 'text/plain', '', 'application/json; charset=utf-16', 'multipart/form-data', 'x'.repeat(500)])}`,
      ],
      body: pick<string | Buffer>(random, [
        '{',
        '"',
        '\ufeff{}',
        '[['.repeat(50_000),
        '{"a":'.repeat(20_000),
        '{"content":"\\ud800"}',
        '{"content":1e999}',
        '{"__proto__":{"content":"x"}}',
        '{"content":"a","content":null}',
        Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
        '{"content":"\0"}',
        'null',
        '-',
        '0'.repeat(5000),
        `{"content":"${'x'.repeat(1_200_000)}"}`,
        Buffer.alloc(500),
      ]),
    }),
  uploads: (random) =>
    text({
      method: 'PUT',
      path: pick(random, ['/v1/me/avatar', '/v1/me/banner']),
      headers: [
        host,
        auth,
        `Content-Type: ${pick(random, ['image/png', 'image/x', 'multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=b', `multipart/form-data; boundary=${'b'.repeat(300)}`])}`,
      ],
      body: pick<string | Buffer>(random, [
        '',
        '--b\r\n',
        '--b--\r\n',
        '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n\x89PNG',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a\r\nb"\r\n\r\nx\r\n--b--',
        `--b\r\n${'X: y\r\n'.repeat(3000)}\r\n`,
        bytesOf(random, 400),
        Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      ]),
    }),
  pipelined: (random) =>
    Buffer.concat([
      text({ method: 'GET', path: '/v1/me' }),
      pick(random, [good(), bytesOf(random, 20), text({ method: 'GET', path: '/v1/nothing' }), good().subarray(0, 30)]),
      text({ method: 'GET', path: '/v1/servers' }),
    ]),
  'another protocol': (random) =>
    pick(random, [
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]),
      Buffer.from('\r\n\r\n'),
      Buffer.from('GET /v1/me\r\n'),
      Buffer.from('SSH-2.0-x\r\n'),
    ]),
}

export interface Malformed {
  kind: string
  bytes: Buffer
}

export function malformed(random: Random): Malformed {
  const kind = pick(random, Object.keys(kinds))
  return { kind, bytes: kinds[kind]!(random) }
}

/** Sends bytes, ends its side, and returns all received bytes. Rejects if the other side stays open for 15 seconds. */
export const sendBytes = (port: number, bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' })
    const finish = () => resolve(Buffer.concat(parts))
    socket.setTimeout(15_000, () => {
      socket.destroy()
      reject(new Error('the connection stayed open for 15 s'))
    })
    socket.on('data', (part: Buffer) => parts.push(part))
    // The service may refuse a request that is too large with a reset.
    socket.on('error', finish)
    socket.on('close', finish)
    socket.end(bytes)
  })

export interface Response {
  status: number
  body: string
}

/** The responses in the bytes received on a connection. */
export function responsesIn(bytes: Buffer): Response[] {
  const found: Response[] = []
  let rest = bytes.toString('latin1')
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1])
    if (end < 0 || Number.isNaN(status)) throw new Error(`not a response: ${rest.slice(0, 200)}`)
    const head = rest.slice(0, end)
    const after = rest.slice(end + 4)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const chunked = /^transfer-encoding: *chunked/im.test(head)
    const taken = chunked ? after.indexOf('0\r\n\r\n') + 5 : length
    if (status >= 200)
      found.push({
        status,
        body: chunked ? after.slice(0, taken).replace(/(^|\r\n)[0-9a-f]+\r\n/g, '') : after.slice(0, taken),
      })
    rest = after.slice(taken)
  }
  return found
}

const refusals = new Set([400, 401, 403, 404, 405, 408, 413, 417, 431, 501, 505])

/** The problem with the bytes received on a connection. */
export function connectionFault(sent: Malformed, came: Buffer): string | undefined {
  // A response to HEAD has no body, and one to CONNECT just opens no tunnel.
  if (/^(?:HEAD|CONNECT) /.test(sent.bytes.subarray(0, 8).toString('latin1'))) return undefined
  for (const { status, body } of responsesIn(came)) {
    if (status < 300) continue
    if (!refusals.has(status) || status === 501) return `status ${status}`
    const fault = refusalFault(body)
    if (fault !== undefined) return `${status}: ${fault}: ${body.slice(0, 200)}`
  }
  return undefined
}
