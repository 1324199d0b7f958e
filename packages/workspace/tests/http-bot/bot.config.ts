import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  env: z.object({
    FORECAST_URL: z.url().meta({ public: true }),
    FORECAST_KEY: z.string().min(10),
  }),
})
