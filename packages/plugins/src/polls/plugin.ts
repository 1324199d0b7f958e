import { plugin } from '@botwright/framework'
import { z } from 'zod'

/** Polls with live counts: `/poll "Where do we eat?" Noodles Tacos`. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The language of people and servers whose language @botwright/languages does not know. */
    language: z.enum(['en', 'de']).default('en'),
    /** The color of open polls. */
    color: z.templateLiteral(['#', z.string().regex(/^[0-9a-f]{6}$/i)]).default('#5e6ad2'),
  }),
})
