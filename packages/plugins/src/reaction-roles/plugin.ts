import { plugin } from '@botwright/framework'
import { z } from 'zod'
import { languages } from '../lib/texts.ts'
import { textOf } from './lib/text-of.ts'

/** A person can still choose from this many reactions. */
const MOST_ROLES = 20

/** The limit of a message (§8). */
const LONGEST = 2000
const emoji = z
  .string()
  .max(32)
  .regex(/[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u, 'must be an emoji')

const message = z
  .strictObject({
    /** The first lines of the message, above the list of roles. */
    text: z.string().min(1).max(1000),
    /** The name of a role for each emoji. */
    roles: z
      .record(emoji, z.string().min(1).max(100))
      .refine((roles) => Object.keys(roles).length > 0, 'must have at least one emoji with its role')
      .refine((roles) => Object.keys(roles).length <= MOST_ROLES, `may have at most ${MOST_ROLES} emoji`),
    /** Whether the message lists the emoji with their roles, below its text. */
    list: z.boolean().default(true),
    /** Whether a person loses the role when they remove the reaction. */
    removable: z.boolean().default(true),
    /** A direct message to a person who received the role. */
    thanks: z.string().min(1).max(1000).optional(),
  })
  .refine((one) => [...textOf(one)].length <= LONGEST, `must have at most ${LONGEST} characters with its list of roles`)

/** Gives a role to everyone who reacts to a message. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The messages that `/reaction-roles <name>` posts, by their names. */
    messages: z
      .record(z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be a name of small letters, digits and -'), message)
      .refine((all) => Object.keys(all).length > 0, 'must have at least one message'),
    /** The language for people without one in @botwright/languages. */
    language: z.enum(languages).default('en'),
  }),
})
