import { plugin } from '@botwright/framework'
import { z } from 'zod'

/** People count together in one channel; who says a wrong number starts again. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    channel: z.string().default('counting'),
    start: z.int().default(1),
    /** Whether somebody may say two numbers in a row. */
    alone: z.boolean().default(false),
  }),
})
