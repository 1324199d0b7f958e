import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  env: z.object({ DB: z.string().default('books.db').meta({ public: true }) }),
})
