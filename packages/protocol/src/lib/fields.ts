import { z } from 'zod'
import { limits } from './limits.ts'
import { hiddenCharacter } from './name-text.ts'
import { ownLimits } from './own-limits.ts'
import { characters, cut, idPattern, isEmoji, isLink, isTime, linkRule, timeRule } from './text.ts'

/**
 * An object as the service sends it. Fields that the specification does not name are kept as they arrive, but the type does not know
 * them, so that a misspelled field does not compile: `raw()` reads those.
 */
export const received = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape) as unknown as z.ZodObject<S>

/** A text of `min` to `max` characters; anything else is refused. */
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
 * A name without control, bidirectional and invisible characters, which make names look alike and garble what is around them. Those that
 * emoji and scripts need are allowed, except where `strict`: in usernames, which others type.
 */
export const visibleName = (name: z.ZodString, { strict = false } = {}) =>
  name.refine((value) => hiddenCharacter(value, strict) === undefined, {
    error: ({ input }) =>
      `must not contain ${hiddenCharacter(input as string, strict)}: names take no control, bidirectional or invisible characters`,
  })

/** The name that somebody is shown under. */
export const DisplayName = visibleName(text(limits.display_name.characters))

/** A name of 1 to `max` characters, of which one at least is to be seen. */
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

/** A text that the service cuts to `max` characters instead of refusing it (§2, Embed). */
export const cutText = (max: number) =>
  z
    .string()
    .overwrite((value) => cut(value, max))
    .meta({ description: `cut to ${max} characters` })

/** A UUID of any version, the nil-like ones included. */
export const Id = z
  .string({ error: ({ input }) => (input === undefined ? 'is required (UUID)' : 'must be a UUID') })
  .regex(idPattern, { error: 'must be a UUID' })
  .meta({ format: 'uuid' })

/** A point in time, ISO 8601. */
export const Time = z.string().refine(isTime, { error: timeRule }).meta({ format: 'date-time' })

/** A text that may be a link: reading one takes time, so a longer one is refused unread. */
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
 * An integer in a query, which arrives as text. Only digits are one: were an empty text a 0, `after=` would skip every event
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
