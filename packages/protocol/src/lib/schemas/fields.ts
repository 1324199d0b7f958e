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

/** A text of `min` to `max` characters. */
export function text(max: number, min = 0) {
  return z
    .string()
    .refine((value) => characters(value) <= max, { error: `must be at most ${max} characters` })
    .refine((value) => characters(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must be at least ${min} characters`,
    })
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) })
}

/**
 * A name without control, bidirectional and invisible characters, which make names look alike and garble the surrounding text. Those
 * that emoji and scripts need are allowed unless `strict` is set, as for usernames, which others type.
 */
export const visibleName = (name: z.ZodString, { strict = false } = {}) =>
  // Composed letters, so that names that look the same are the same.
  name
    .overwrite((value) => value.normalize('NFC'))
    .refine((value) => hiddenCharacter(value, strict) === undefined, {
      error: ({ input }) =>
        `must not contain ${hiddenCharacter(input as string, strict)}: names cannot have control, bidirectional or invisible characters`,
    })

/** A display name. */
export const DisplayName = visibleName(text(limits.display_name.characters))

/** A name of 1 to `max` characters that is not blank. */
export const nameText = (max: number) =>
  visibleName(
    z
      .string()
      .refine((value) => characters(value) <= max, { error: `must be at most ${max} characters` })
      .refine((value) => value.trim() !== '', { error: 'must not be empty' })
      .meta({ maxLength: max, minLength: 1 }),
  )

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
