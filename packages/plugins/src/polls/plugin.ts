import { plugin } from '@botwright/framework'
import { z } from 'zod'
import { languages } from '../lib/texts.ts'

/** Polls with live counts: `/poll "Where do we eat?" Noodles Tacos`. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The language for people and servers without one in @botwright/languages. */
    language: z.enum(languages).default('en'),
    /** The color of open polls. */
    color: z.templateLiteral(['#', z.string().regex(/^[0-9a-f]{6}$/i)]).default('#5e6ad2'),
  }),
})
