import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { BotwrightError } from '@botwright/framework/cluster'
import type { RedisOptions } from 'ioredis'

/** Where a Redis is, and how it may be named to people. */
export interface Address {
  /** With the password: never logged. */
  options: Omit<RedisOptions, 'replyMapping'>
  /** Without user and password. */
  shown: string
  /** Secrets: they appear in no text. */
  secrets: readonly string[]
}

const FORMS = 'redis://[user:password@]host[:port][/db], rediss://… for TLS, or unix:///path/to/redis.sock'
const FILES = ['ca', 'cert', 'key'] as const
const USUAL_PORT = 6379

/**
 * Reads `redis://[user[:password]]@host:port/db`, `rediss://` (TLS; `?ca=`, `?cert=` and `?key=` name files in PEM) and `unix://[user:password@localhost]/path?db=0`.
 * Special characters in a user or a password are percent-encoded, as in every URL. Throws `ERR_CONFIG`; a text never holds the password.
 */
export function readAddress(text: string): Address {
  const url = parse(text)
  const given = new URLSearchParams(url.search)
  const [username, password] = [decode(url.username, 'user'), decode(url.password, 'password')]
  const tls = url.protocol === 'rediss:'
  const socket = url.protocol === 'unix:'
  const allowed: readonly string[] = tls ? FILES : socket ? ['db'] : []
  const unknown = [...given.keys()].find((name) => !allowed.includes(name))
  if (unknown !== undefined)
    throw wrong(
      `"?${unknown}=" is not supported in ${url.protocol}//…; ${tls ? `of files ${FILES.join(', ')} are read` : 'remove it (TLS files require rediss://)'}`,
    )
  const path = decode(url.pathname, 'path')
  const db = readDb(socket ? (given.get('db') ?? '') : url.pathname.replace(/^\//, ''))
  const host = decode(url.hostname, 'host').replace(/^\[|\]$/g, '')
  const port = url.port === '' ? USUAL_PORT : Number(url.port)
  if (socket ? path.length < 2 || !['', 'localhost'].includes(host) : host === '')
    throw wrong(`the address has no ${socket ? 'file' : 'host'}; write ${FORMS}`)
  const named = host.includes(':') ? `[${host}]` : host
  return {
    shown: socket
      ? `unix://${path}${db === 0 ? '' : `?db=${db}`}`
      : `${url.protocol}//${named}:${port}${db === 0 ? '' : `/${db}`}`,
    secrets: [password, url.password].filter((secret) => secret !== ''),
    options: {
      ...(socket ? { path } : { host, port }),
      ...(username !== '' && { username }),
      ...(password !== '' && { password }),
      db,
      ...(tls && { tls: { ...(isIP(host) === 0 && { servername: host }), ...filesOf(given) } }),
    },
  }
}

function parse(text: string): URL {
  let url: URL | undefined
  try {
    url = new URL(text.trim())
  } catch {
    // Reported below, without the text: it may contain a password.
  }
  if (url === undefined || !['redis:', 'rediss:', 'unix:'].includes(url.protocol))
    throw wrong(
      `the URL of Redis cannot be parsed; write ${FORMS}, and percent-encode special characters in a password`,
    )
  return url
}

function readDb(text: string): number {
  if (/^\d{0,5}$/.test(text)) return Number(text)
  throw wrong(`"${text}" is not a database number; write ${FORMS}`)
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong(`the ${what} in the URL of Redis contains a "%" that is not part of an escape; write it as %25`)
  }
}

function filesOf(given: URLSearchParams): { [name in (typeof FILES)[number]]?: string } {
  const files: { [name in (typeof FILES)[number]]?: string } = {}
  for (const name of FILES) {
    const file = given.get(name)
    if (file === null) continue
    try {
      files[name] = readFileSync(file, 'utf8')
    } catch (error) {
      throw wrong(`"?${name}=${file}": ${(error as Error).message}; give a PEM file that this process can read`)
    }
  }
  return files
}

const wrong = (fact: string) => new BotwrightError('ERR_CONFIG', `cluster: ${fact}`)
