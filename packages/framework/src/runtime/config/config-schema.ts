import * as z from 'zod'
import { BotwrightError, eventTypes, idPattern } from '@botwright/protocol/facts'
import type { StateStore, StoreHost } from '../../author/ports.ts'
import { didYouMean } from '../../author/did-you-mean.ts'
import { type EnvSchema, isEnvSchema } from '../../author/env-schema.ts'
import { ownLanguages } from '../../author/texts/table.ts'
import { isPluginUse, type PluginUse } from '../../author/plugins/plugin.ts'
import { type CatchUpLimit, defaults, usualBounds } from '../../author/config/config.ts'
import type { EventType } from '@botwright/protocol/shapes'
import { isTimezone, type Timezone } from '../../author/time/timezone.ts'
import { type Duration, durationExamples, parseDuration } from '../../author/time/duration.ts'

const limit = (isClick: boolean) =>
  z.unknown().transform((value, context): CatchUpLimit => {
    if (value === 'all' || (isClick && value === 'open')) return value
    const ms = typeof value === 'string' ? parseDuration(value) : value
    if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return Math.round(ms)
    const open = isClick ? " 'open' (while the click may be answered)," : ''
    const message = `must be 'all',${open} a duration such as ${durationExamples}, or a number of milliseconds`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** Typed by hand, because the schema's input is `unknown` and authors see a narrower type. */
type LimitSchema<Input> = z.ZodType<CatchUpLimit, Input>
const other = limit(false) as unknown as LimitSchema<Duration | 'all'>
const click = limit(true) as unknown as LimitSchema<Duration | 'all' | 'open'>

type OtherType = Exclude<EventType, 'interaction'>
const types = Object.fromEntries(
  eventTypes.filter((type) => type !== 'interaction').map((type) => [type, other.optional()]),
) as Record<OtherType, z.ZodOptional<typeof other>>

/** `catchUp` of `bot.config.ts`: limits for single event types, for types missing from the specification, and for all others. */
const CatchUp = z.strictObject({
  ...types,
  interaction: click.optional(),
  unknown: other.optional(),
  default: other.optional(),
})

const whole = (min: number, max: number) =>
  z
    .number({ error: 'must be a number' })
    .int({ error: 'must be a whole number' })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` })

const choice = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be ${names.map((name) => `'${name}'`).join(' or ')}` })

const flag = z.boolean({ error: 'must be true or false' })

const host = (address: string) =>
  z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' }).default(address)

const Limits = z.strictObject({
  handlerSeconds: whole(1, 24 * 60 * 60).default(defaults.limits.handlerSeconds),
  graceSeconds: whole(0, 60 * 60).default(defaults.limits.graceSeconds),
  waiting: whole(1, 1_000_000).default(defaults.limits.waiting),
  workers: whole(1, 64).default(defaults.limits.workers),
})

const Health = z.strictObject(
  {
    port: whole(0, 65_535),
    host: host('127.0.0.1'),
    control: z
      .strictObject({ actions: flag.default(false) }, { error: 'must be an object: {} or { actions }' })
      .optional(),
  },
  { error: 'must be an object with a port' },
)

const Http = z.strictObject({
  port: whole(0, 65_535).default(defaults.http.port),
  host: host(defaults.http.host),
})

const timeOfDay = z
  .string({ error: "must be a time of day such as '22:00'" })
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day such as '22:00'" })

const timezoneFact =
  "must be a time zone such as 'Europe/Berlin', or the variable that contains one: { env: 'TEAM_ZONE' }"
const timezone = z.custom<Timezone>(isZone, { error: timezoneFact })

function isZone(value: unknown): boolean {
  if (typeof value === 'string') return isTimezone(value)
  return typeof value === 'object' && value !== null && 'env' in value && typeof value.env === 'string'
}

/** `{ from, until }`, or neither. */
const differ = ({ from, until }: { from?: string | undefined; until?: string | undefined }) =>
  from === undefined ? until === undefined : until !== undefined && from !== until
const differing = { error: "must have two different times: { from: '22:00', until: '07:00' }" }

const hours = { from: timeOfDay, until: timeOfDay, timezone: timezone.optional() }
const ofServer = z.union([z.literal(false), z.strictObject(hours).partial().refine(differ, differing)], {
  error: `must be false or an object: it ${differing.error}`,
})

const serverId = z.string().regex(idPattern, {
  error: 'is not the id of a server: use its id, such as 0194f3a0-1234-7abc-8def-0123456789ab',
})

/** `quietHours` of `bot.config.ts`. */
const QuietHours = z.strictObject({ ...hours, servers: z.record(serverId, ofServer) }).partial()

/** The schema of `bot.config.ts`. */
export const Config = z.strictObject({
  delivery: choice('poll', 'webhook', 'both').default(defaults.delivery),
  start: choice('now', 'kept').default(defaults.start),
  limits: Limits.prefault({}),
  answerBots: flag.default(defaults.answerBots),
  help: flag.default(defaults.help),
  language: choice(...ownLanguages).optional(),
  messageBudget: z
    .union([z.literal(false), z.strictObject({ requests: whole(1, 10_000), seconds: whole(1, 24 * 60 * 60) })], {
      error: 'must be false or { requests, seconds }, both whole numbers of at least 1',
    })
    .optional(),
  webhook: z
    .strictObject({
      port: whole(0, 65_535).default(defaults.webhook.port),
      host: host(defaults.webhook.host),
      path: z
        .string({ error: 'must be a string' })
        .startsWith('/', { error: 'must start with /' })
        .default(defaults.webhook.path),
    })
    .prefault({}),
  catchUp: CatchUp.optional(),
  http: z.union([z.literal(false), Http], { error: 'must be false or { port, host }' }).prefault({}),
  health: Health.optional(),
  cluster: z
    .strictObject(
      {
        url: z
          .string({ error: 'must be a string' })
          .regex(/^(?:rediss?:\/\/|[A-Z][A-Z0-9_]*$)/, {
            error: 'must be a URL such as redis://127.0.0.1:6379, or the name of a variable such as BOT_CLUSTER_URL',
          })
          .optional(),
      },
      { error: 'must be an object: {} or { url }' },
    )
    .optional(),
  tracing: flag.default(defaults.tracing),
  quietHours: QuietHours.refine(differ, differing).optional(),
  assets: z
    .array(z.string({ error: 'must be a path' }), { error: 'must be a list of paths' })
    .readonly()
    .optional(),
  record: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          days: whole(1, 3650).default(usualBounds.days),
          events: whole(1, 100_000_000).default(usualBounds.events),
        }),
      ],
      { error: 'must be true, false or { days, events }, both whole numbers of at least 1' },
    )
    .optional(),
  env: z
    .custom<EnvSchema>(isEnvSchema, { error: 'must be z.object({ … }), with a field for each variable' })
    .optional(),
  store: z
    .custom<(host: StoreHost) => StateStore | Promise<StateStore>>((value) => typeof value === 'function', {
      error: 'must be a function that returns a store: () => keyValueStore(…)',
    })
    .optional(),
  plugins: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, {
        error: 'is not a valid plugin name: use 1 to 32 lowercase letters, digits, - or _, beginning with a letter',
      }),
      z.custom<PluginUse>(isPluginUse, { error: 'must be a plugin with its options: counting({ … })' }),
      { error: 'must be an object of plugins by name: { counting: counting({ … }) }' },
    )
    .optional(),
})

/** Checks the default export of a `bot.config.ts`. Throws `ERR_CONFIG` with the file and each invalid field. */
export function checkConfig(value: unknown, file: string): z.output<typeof Config> {
  const read = Config.safeParse(value)
  if (read.success) return read.data
  const facts = read.error.issues.map((issue) => issueFact(issue, file))
  throw new BotwrightError('ERR_CONFIG', facts.join('\n'))
}

/** The valid field names by path, to suggest one for a misspelled name. */
const knownFields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(Config.shape),
  limits: Object.keys(Limits.shape),
  catchUp: Object.keys(CatchUp.shape),
  quietHours: Object.keys(QuietHours.shape),
  health: Object.keys(Health.shape),
}

/** Describes one issue with the file and the field; unknown fields get a line each. */
export function issueFact(issue: z.core.$ZodIssue, file: string): string {
  if (issue.code === 'unrecognized_keys') {
    const at = issue.path.length > 0 ? `${issue.path.join('.')}.` : ''
    const known = knownFields[issue.path.join('.')] ?? []
    return issue.keys
      .map((key) => {
        const near = didYouMean(key, known)
        const fix = near === undefined ? 'remove it or correct its spelling' : `did you mean ${at}${near}?`
        return `${file}: unknown field ${at}${key}; ${fix}`
      })
      .join('\n')
  }
  if (issue.path.length === 0) return `${file}: must export an object: export default defineConfig({ … })`
  if (issue.code === 'invalid_key') return `${file}: ${issue.path.join('.')} ${issue.issues[0]!.message}`
  const what = issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be an object' : issue.message
  return `${file}: ${issue.path.join('.')}${/^[A-Z]/.test(what) ? ':' : ''} ${what}`
}
