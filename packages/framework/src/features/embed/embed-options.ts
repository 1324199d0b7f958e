import { Writable } from 'node:stream'
import { BotwrightError, printable } from '@botwright/protocol/facts'
import type { Log, LogLevel } from '../../author/ports.ts'
import { createRedactor, filterOutput } from '../../link/redaction.ts'
import type { ThreadIo } from '../../link/thread-io.ts'

/** A line of the log: its facts, and when and how it was written. Errors are plain objects, and secrets are removed. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  level: LogLevel
  /** In ISO 8601. */
  time: string
  msg: string
}

/** The servers that `framework start` opens, by their names in `bot.config.ts`. */
export type BotServer = 'health' | 'http' | 'webhook'

/** The options of `createBot`. */
export interface CreateBotOptions {
  /** The path below which the bot answers, such as `/bot`. Default: none. */
  basePath?: string
  /** Receives the lines of the log: a logger such as pino, or a function. Default: JSON on standard output. */
  log?: Log | ((line: LogLine) => void)
  /** Default: `BOT_TOKEN` of `env`. */
  token?: string
  /** Default: `BOT_BASE_URL` of `env`. */
  baseUrl?: string
  /** Default: `BOT_WEBHOOK_SECRET` of `env`. */
  webhookSecret?: string
  /** The bot's variables. Default: those of the process, and of `.env` in the bot's folder. */
  env?: Readonly<Record<string, string | undefined>>
  /** The folder of the journal and the state. Default: `.botwright` in the bot's folder. */
  stateDir?: string
  /** False: the bot's code runs in this thread, where it can block or end the program. Default true. */
  threads?: boolean
  /** The servers that the bot opens on ports of its own, as `framework start` does. Default: none. */
  ports?: readonly BotServer[]
}

/** Removes the last slash. Throws `ERR_CONFIG`. */
export function readBasePath(path = ''): string {
  const plain = path.replace(/\/+$/, '')
  if (plain !== '' && !/^\/[^?#\s]*$/.test(plain))
    throw new BotwrightError('ERR_CONFIG', `createBot: basePath is "${path}"; it must begin with "/", such as "/bot"`)
  return plain
}

/** The variables of a bot. `readFile` reads those of its `.env`. */
export function environmentOf(
  { env, token, baseUrl, webhookSecret }: CreateBotOptions,
  readFile: () => NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return {
    ...(env ?? { ...readFile(), ...process.env }),
    ...(token !== undefined && { BOT_TOKEN: token }),
    ...(baseUrl !== undefined && { BOT_BASE_URL: baseUrl }),
    ...(webhookSecret !== undefined && { BOT_WEBHOOK_SECRET: webhookSecret }),
  }
}

/** Writes the lines of the framework's own log, which are JSON without secrets, to another one. */
export function linesTo(log: Log | ((line: LogLine) => void)): (text: string) => void {
  return (text) => {
    const line = JSON.parse(text) as LogLine
    if (typeof log === 'function') return log(line)
    const { level, time: _, msg, ...facts } = line
    log[level](facts, msg)
  }
}

/** The output of the bot's threads goes to that of the process, without secrets and control characters. */
export function embeddedIo(env: NodeJS.ProcessEnv, secrets: readonly (string | undefined)[]): ThreadIo {
  const to = (stream: NodeJS.WritableStream) =>
    new Writable({ write: (chunk: Buffer, _, done) => void stream.write(chunk, () => done()) })
  const io = { stdout: to(process.stdout), stderr: to(process.stderr), env }
  const redact = createRedactor(secrets)
  filterOutput(io, (text) => printable(redact(text)))
  return io
}
