import { BotwrightError } from '@botwright/protocol'
import { z } from 'zod'

const whole = (min: number, max: number) =>
  z
    .number({ error: 'must be a number' })
    .int({ error: 'must be a whole number' })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` })

const choice = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be ${names.map((name) => `'${name}'`).join(' or ')}` })

const flag = z.boolean({ error: 'must be true or false' })

const Limits = z.strictObject({
  handlerSeconds: whole(1, 24 * 60 * 60).default(60),
  graceSeconds: whole(0, 60 * 60).default(10),
  waiting: whole(1, 1_000_000).default(1000),
  workers: whole(1, 64).default(1),
})

const Config = z.strictObject({
  delivery: choice('poll', 'webhook', 'both').default('poll'),
  start: choice('now', 'kept').default('now'),
  limits: Limits.prefault({}),
  answerBots: flag.default(false),
  messageBudget: z
    .union([z.literal(false), z.strictObject({ requests: whole(1, 10_000), seconds: whole(1, 24 * 60 * 60) })], {
      error: 'must be false or { requests, seconds }, both whole numbers of at least 1',
    })
    .optional(),
  webhook: z
    .strictObject({
      port: whole(0, 65_535).default(8788),
      host: z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' }).default('127.0.0.1'),
      path: z.string({ error: 'must be a text' }).startsWith('/', { error: 'must start with /' }).default('/'),
    })
    .prefault({}),
  catchUp: z.strictObject({ olderThanSeconds: whole(1, 24 * 60 * 60) }).optional(),
})

/** A bot's configuration with every default filled in. Durations are seconds. */
export type Config = z.output<typeof Config>

/**
 * What `bot.config.ts` may say; all of it may be left out.
 * - `delivery`: how events come: `'poll'` (default), `'webhook'` or `'both'` (§4).
 * - `start`: where the very first start begins: `'now'` (default) or with the events that are still `'kept'` (§6: 1 day).
 * - `limits`: `handlerSeconds` 60 (a handler's greatest time), `graceSeconds` 10 (how long a stop waits for running handlers),
 *   `waiting` 1000 (events that may wait before the bot stops asking for more), `workers` 1 (threads that run handlers).
 * - `answerBots`: whether messages of other bots start commands; false.
 * - `messageBudget`: `{ requests, seconds }` instead of the 30 a minute of §8; `false` for none.
 * - `webhook`: where event webhooks are received: `port` 8788, `host` 127.0.0.1, `path` /.
 * - `catchUp`: events older than `olderThanSeconds` are passed over after a stop.
 */
export type ConfigInput = z.input<typeof Config>

/** Writes down a bot's configuration with its types; the default export of `bot.config.ts`. It is checked when the bot starts. */
export const defineConfig = (config: ConfigInput): ConfigInput => config

/**
 * Checks what a `bot.config.ts` exports and fills in the defaults; `undefined` (no such file) gives all defaults.
 * Throws `ERR_CONFIG`, naming the file and each wrong field.
 */
export function readConfig(value: unknown, file = 'bot.config.ts'): Config {
  const read = Config.safeParse(value ?? {})
  if (read.success) return read.data
  const facts = read.error.issues.map((issue) => fact(issue, file))
  throw new BotwrightError('ERR_CONFIG', facts.join('\n'))
}

function fact(issue: z.core.$ZodIssue, file: string): string {
  if (issue.code === 'unrecognized_keys') {
    const at = issue.path.length > 0 ? `${issue.path.join('.')}.` : ''
    const names = issue.keys.map((key) => at + key).join(', ')
    return `${file}: ${names} ${issue.keys.length > 1 ? 'are' : 'is'} not known; remove it or correct its spelling`
  }
  if (issue.path.length === 0) return `${file}: must export an object: export default defineConfig({ … })`
  const what = issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be an object' : issue.message
  return `${file}: ${issue.path.join('.')} ${what}`
}
