import { plugin } from '@botwright/framework'
import { z } from 'zod'

/** People count together in one channel; a wrong number resets the count. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    channel: z.string().default('counting'),
    start: z.int().default(1),
    /** Whether one person may post two numbers in a row. */
    alone: z.boolean().default(false),
  }),
})
