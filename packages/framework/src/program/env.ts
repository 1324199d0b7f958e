import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Variables } from '../author/env-schema.ts'
import { decodeText } from '@botwright/protocol/text-file'
import { wholeNumber } from './whole-number.ts'

/** The ports of a bot's servers. */
export interface BotPorts {
  /** `BOT_HEALTH_PORT`, of `/livez`, `/readyz` and `/metrics`. */
  healthPort?: number
  /** `BOT_HTTP_PORT`, of the files in `routes/`. */
  httpPort?: number
}

/** A bot's environment variables. */
export interface BotEnv extends BotPorts {
  token: string
  /** Ends in the version segment, without a trailing slash. */
  baseUrl: string
  webhookSecret?: string
  logLevel?: string
  /** The token of `/control`. */
  controlToken?: string
}

/** Shorter tokens can be guessed. */
const SHORTEST_CONTROL_TOKEN = 16

/** Adds the variables of `.env` in the folder, if there is one, to an environment. Those that it has take precedence. Throws `ERR_CONFIG`. */
export function loadEnvFile(folder: string, env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(readEnvFile(folder))) env[name] ??= value
}

/** The variables of `.env` in the folder; none if there is no such file. Throws `ERR_CONFIG` if it cannot be read. */
export function readEnvFile(folder: string): Record<string, string> {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(join(folder, '.env'))
  } catch (error) {
    // A file instead of the folder is reported by those who open it.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {}
    throw new BotwrightError(
      'ERR_CONFIG',
      `.env: cannot be read (${(error as Error).message}); it must be a readable text file with NAME=value lines`,
    )
  }
  // Node keeps byte order marks, which joined files have at any line, and ends lines only at \n.
  const text = decodeText(bytes, '.env')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/^\ufeff+/gm, '')
  return parseEnv(text) as Record<string, string>
}

/** Checks the variables of a bot. Throws `ERR_CONFIG` naming the variable, the fact and the fix; never the value of a secret. */
export function readEnv(env: Variables): BotEnv {
  const faults: string[] = []
  const token = (env['BOT_TOKEN'] ?? '').trim()
  if (token === '')
    faults.push('BOT_TOKEN is not set: copy the bot token from the Developer screen into .env: BOT_TOKEN=…')
  else if (/\s|^Bot$/.test(token)) faults.push('BOT_TOKEN contains a space or the word "Bot": set it to the token only')
  const baseUrl = readBaseUrl(env['BOT_BASE_URL'], faults)
  const webhookSecret = env['BOT_WEBHOOK_SECRET']?.trim()
  if (webhookSecret === '' && env['BOT_WEBHOOK_SECRET'] !== '')
    faults.push('BOT_WEBHOOK_SECRET is blank: remove it, or set it to the secret from the Developer screen')
  const ports = portsOf(env, faults)
  const controlToken = readControlToken(env['BOT_CONTROL_TOKEN'], faults)
  if (faults.length > 0) throw new BotwrightError('ERR_CONFIG', faults.join('\n'))
  const logLevel = env['LOG_LEVEL']
  return {
    token,
    baseUrl,
    ...(webhookSecret && { webhookSecret }),
    ...(logLevel && { logLevel }),
    ...ports,
    ...(controlToken !== undefined && { controlToken }),
  }
}

/** The ports that an environment sets. Throws `ERR_CONFIG`. */
export function readPorts(env: Variables): BotPorts {
  const faults: string[] = []
  const ports = portsOf(env, faults)
  if (faults.length > 0) throw new BotwrightError('ERR_CONFIG', faults.join('\n'))
  return ports
}

function portsOf(env: Variables, faults: string[]): BotPorts {
  const [healthPort, httpPort] = (['BOT_HEALTH_PORT', 'BOT_HTTP_PORT'] as const).map((name) =>
    readPort(env, name, faults),
  )
  return { ...(healthPort !== undefined && { healthPort }), ...(httpPort !== undefined && { httpPort }) }
}

function readControlToken(value: string | undefined, faults: string[]): string | undefined {
  const token = (value ?? '').trim()
  if (token === '') return undefined
  // It is sent in a header.
  if (token.length >= SHORTEST_CONTROL_TOKEN && /^[\x21-\x7e]+$/.test(token)) return token
  faults.push(
    `BOT_CONTROL_TOKEN is not a usable token: set it to at least ${SHORTEST_CONTROL_TOKEN} ASCII characters without spaces, such as the output of "openssl rand -hex 32"`,
  )
  return undefined
}

function readPort(env: Variables, name: string, faults: string[]): number | undefined {
  const text = (env[name] ?? '').trim()
  if (text === '') return undefined
  const port = wholeNumber(text)
  if (port <= 65_535) return port
  faults.push(`${name} is not a port: set it to a number from 0 to 65535`)
  return undefined
}

function readBaseUrl(value: string | undefined, faults: string[]): string {
  const text = (value ?? '').trim()
  const example = 'http://127.0.0.1:7420/v1'
  if (text === '') {
    faults.push(`BOT_BASE_URL is not set: set it to the URL of the bot interface, such as ${example}`)
    return ''
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    faults.push(`BOT_BASE_URL is not an http or https URL: use one such as ${example}`)
    return ''
  }
  if (url.username || url.password || url.search || url.hash) {
    faults.push('BOT_BASE_URL must be a plain URL: remove user name, password, "?" and "#"')
    return ''
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (!/\/v\d+$/.test(path))
    faults.push(`BOT_BASE_URL must end in the version of the interface (interface §9): use ${url.origin}${path}/v1`)
  return url.origin + path
}
