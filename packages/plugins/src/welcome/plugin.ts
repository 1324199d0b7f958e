import { plugin } from '@botwright/framework'
import { z } from 'zod'
import { languages } from '../lib/texts.ts'

/** So long that a mention and a number still fit into a message (§8). */
const text = z.string().min(1).max(1500)

/** Welcomes new members. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The name of the channel for the message. */
    channel: z.string().min(1).default('general'),
    /** The message: `{member}` becomes a mention, `{count}` the number of members. Default: a welcome in the language of the server. */
    text: text.optional(),
    /** A direct message to the new member, with the same placeholders. */
    direct: text.optional(),
    /** The name of a role for new members. */
    role: z.string().min(1).max(100).optional(),
    /** The language for servers without one in @botwright/languages. */
    language: z.enum(languages).default('en'),
  }),
})
