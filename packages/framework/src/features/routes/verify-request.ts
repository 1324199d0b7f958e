import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { PlainRequest } from './plain-request.ts'
import type { RouteRequest, Verify } from './route.ts'

/** Whether a request comes from a sender that may send it. Throws if the secret is not set. */
export async function isVerified(verify: Verify, request: RouteRequest<Uint8Array>): Promise<boolean> {
  if (verify === false) return true
  // Only a plain `true` counts: a function that forgets to return, or returns what it found, lets no request in.
  if (typeof verify === 'function') return (await verify(request)) === true
  const secret = secretOf(verify.secret, request.env)
  if (verify.by === 'bearer') {
    const [scheme = '', token] = (request.headers.get('authorization') ?? '').split(' ', 2)
    return scheme.toLowerCase() === 'bearer' && isSame(token, secret)
  }
  const { algorithm, encoding, header } = verify
  const given = request.headers.get(header) ?? undefined
  const own = createHmac(algorithm, secret).update(request.body).digest(encoding)
  return isSame(given?.startsWith(`${algorithm}=`) ? given.slice(algorithm.length + 1) : given, own)
}

/** The headers that are stored: without those that prove the sender. */
export function withoutCredentials(headers: PlainRequest['headers'], verify: Verify): PlainRequest['headers'] {
  const own = verify && 'header' in verify ? verify.header.toLowerCase() : ''
  const names = ['authorization', 'cookie', 'proxy-authorization', own]
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

/** Anyone can guess a secret of spaces. */
export const isSecret = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

function secretOf(name: string, env: object): string {
  const value = (env as Readonly<Record<string, unknown>>)[name]
  if (isSecret(value)) return value
  throw new Error(`${name} is not set: declare it in env of bot.config.ts`)
}

/** Compares in constant time, whatever the lengths. */
const isSame = (given: string | undefined, own: string): boolean =>
  given !== undefined && timingSafeEqual(digest(given), digest(own))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
