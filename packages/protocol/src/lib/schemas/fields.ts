import * as z from 'zod'
import { limits } from '../limits.ts'
import { hiddenCharacter } from '../text/name-text.ts'
import { ownLimits } from '../own-limits.ts'
import { characters, cut, idPattern, isEmoji, isLink, isTime, linkRule, timeRule } from '../text/text.ts'

/**
 * An object as the service sends it. Fields that the specification does not name are kept but not typed, so that a misspelled field
 * does not compile. Use `raw()` to read them.
 */
export const received = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape) as unknown as z.ZodObject<S>

/** Limits a text to `min` to `max` characters. */
const limited = (schema: z.ZodString, max: number, min = 0) =>
  schema
    .refine((value) => characters(value) <= max, { error: `must be at most ${max} characters` })
    .refine((value) => characters(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must be at least ${min} characters`,
    })
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) })

/** A text of `min` to `max` characters. */
export const text = (max: number, min = 0) => limited(z.string(), max, min)

/** Limits a text to 1 to `max` characters, not all of them spaces. */
const filled = (schema: z.ZodString, max: number) =>
  limited(schema, max)
    .refine((value) => value.trim() !== '', { error: 'must not be empty' })
    .meta({ maxLength: max, minLength: 1 })

/** A text of 1 to `max` characters that is not blank. */
export const filledText = (max: number) => filled(z.string(), max)

/**
 * A name without control, bidirectional and invisible characters, which make names look alike and garble the surrounding text. Those
 * that emoji and scripts need are allowed unless `strict` is set, as for usernames, which others type. `rule` adds other checks.
 */
export const visibleName = (rule: (name: z.ZodString) => z.ZodString, { strict = false } = {}) =>
  // First of all composed letters, so that names that look the same are the same, and have the same length.
  rule(z.string().overwrite((value) => value.normalize('NFC'))).refine(
    (value) => hiddenCharacter(value, strict) === undefined,
    {
      error: ({ input }) =>
        `must not contain ${hiddenCharacter(input as string, strict)}: names cannot have control, bidirectional or invisible characters`,
    },
  )

/** A display name; an empty one removes it. */
export const DisplayName = visibleName((name) =>
  limited(name, limits.display_name.characters).refine((value) => value === '' || value.trim() !== '', {
    error: 'must not consist of spaces',
  }),
)

/** A name of 1 to `max` characters that is not blank. */
export const nameText = (max: number) => visibleName((name) => filled(name, max))

/** The name of a server, channel, category or role. */
export const Name = nameText(ownLimits.name.characters)

/** The reason of a ban, a timeout, a report or a review. */
export const Reason = text(ownLimits.reason.characters)

/** A text that the service cuts to `max` characters instead of rejecting it (§2, Embed). */
export const cutText = (max: number) =>
  z
    .string()
    .overwrite((value) => cut(value, max))
    .meta({ description: `cut to ${max} characters` })

/** A UUID of any version, including nil-like ones, in lower case. */
export const Id = z
  .string({ error: ({ input }) => (input === undefined ? 'is required (UUID)' : 'must be a UUID') })
  .regex(idPattern, { error: 'must be a UUID' })
  .overwrite((id) => id.toLowerCase())
  .meta({ format: 'uuid' })

/** A point in time, ISO 8601. */
export const Time = z.string().refine(isTime, { error: timeRule }).meta({ format: 'date-time' })

/** The text of a link. Parsing takes time, so longer texts are rejected before parsing. */
const linkText = z.string().refine((value) => characters(value) <= ownLimits.url.characters, {
  error: `must be at most ${ownLimits.url.characters} characters`,
  abort: true,
})
const linkMeta = { format: 'uri', maxLength: ownLimits.url.characters }

/** An http or https link. */
export const Link = linkText.refine((value) => isLink(value), { error: linkRule }).meta(linkMeta)

/** An https link. */
export const HttpsLink = linkText
  .refine((value) => isLink(value, ['https:']), { error: 'must be an https link' })
  .meta(linkMeta)

/** One Unicode emoji. */
export const Emoji = z.string().refine(isEmoji, { error: 'must be one unicode emoji' })

const notAnInteger = { error: 'must be an integer' }

/**
 * An integer in a query, which arrives as text. Accepts only digits: if an empty text were 0, `after=` would skip all events
 * (decisions row 39).
 */
export const QueryInteger = (min: number, max: number) =>
  z.preprocess(
    (value: number) => {
      const given: unknown = value
      return typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given
    },
    z
      .int(notAnInteger)
      .min(min, { error: `must be at least ${min}` })
      .max(max, { error: `must be at most ${max}` }),
  )
