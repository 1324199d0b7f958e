import { plugin } from '@botwright/framework'
import { z } from 'zod'

export default plugin({ url: import.meta.url, options: z.strictObject({ step: z.int().min(1).default(1) }) })
