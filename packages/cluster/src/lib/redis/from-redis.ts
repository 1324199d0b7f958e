// Everything that arrives from Redis is outside text: it is checked here before anything uses it.
import { type BotEvent, readEvent } from '@botwright/framework/cluster'
import * as z from 'zod'

/** A webhook body has at most 1 MiB; a whole page of the feed never gets here. */
const MAX_JSON_LENGTH = 4 * 1024 * 1024
/** Pub/sub notices name something and carry nothing. */
export const MAX_NOTICE_LENGTH = 1024

const count = z.int().nonnegative()
const text = z.string().max(MAX_NOTICE_LENGTH)

const event = z.unknown().transform((value, context): BotEvent => {
  const read = readEvent(value, 0)
  if (typeof read !== 'string') return read
  context.addIssue(read)
  return z.NEVER
})

/** The id of an instance: its process and its number. */
export const instanceId = text.regex(/^\S+\.[1-9]\d{0,14}$/)

/** The number behind the dot of an instance's id; its lease has the same number. */
export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1))

/** The note that an instance publishes about itself. Its number is part of its id. */
export const noteSchema = z.object({
  joinedAtMs: count,
  seenAtMs: count,
  running: count,
  leads: z.boolean(),
  version: text,
  code: text.optional(),
  /** It finishes what it runs and takes nothing more. */
  leaving: z.literal(true).optional(),
  /** It has ended everything. */
  left: z.literal(true).optional(),
})

/** An event that another instance is asked to run. */
export const forwardSchema = z.object({ to: instanceId, event, attempt: z.int().positive(), asked: z.boolean() })

/** An entry of the dead-letter list. */
export const setAsideSchema = z.object({ event, reason: z.string(), atMs: count })

/** An entry of a partition, or a webhook copy that waits for the leader. */
export const eventSchema = event

/** Where the feed is, as Redis keeps it: every field is a text. */
const digits = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .pipe(count)
export const positionSchema = z.object({ after: digits, savedAtMs: digits, era: digits.default(0) })

/** A click whose acknowledgement is due. */
export const clickSchema = z.object({ interactionId: text, token: z.string(), expiresAtMs: count })

/** Notices on pub/sub. */
export const notices = {
  /** Something changed; the content has no meaning. */
  plain: z.string(),
  /** A handler waits for this key, or no longer. */
  waits: text.min(1),
  /** `ask <instance> <n>`: run a forwarded event. `done <instance> <n>`: it has run. */
  forward: text
    .transform((notice) => notice.split(' '))
    .pipe(z.tuple([z.enum(['ask', 'done']), instanceId, text.regex(/^[1-9]\d{0,14}$/)])),
  /** The id of an event. */
  offer: text.regex(/^[1-9]\d{0,15}$/),
  topic: text.regex(/^[\w:-]{1,64}$/),
} as const

/** The value, or the reason why it does not fit, in one line without the value itself. */
export type Checked<T> = { value: T; fault?: undefined } | { value?: undefined; fault: string }

/** Checks a value against a schema. */
export function check<T>(schema: z.ZodType<T, unknown>, value: unknown): Checked<T> {
  const read = schema.safeParse(value)
  if (read.success) return { value: read.data }
  const { path, message } = read.error.issues[0]!
  return { fault: path.length === 0 ? message : `"${path.join('.')}": ${message}` }
}

/** Parses JSON of bounded size, drops `__proto__`, and checks it against a schema. */
export function checkJson<T>(schema: z.ZodType<T, unknown>, json: string): Checked<T> {
  if (json.length > MAX_JSON_LENGTH) return { fault: `longer than ${MAX_JSON_LENGTH} characters` }
  let value: unknown
  try {
    value = json.includes('__proto__') ? JSON.parse(json, withoutProto) : JSON.parse(json)
  } catch {
    return { fault: 'not JSON' }
  }
  return check(schema, value)
}

const withoutProto = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value)
