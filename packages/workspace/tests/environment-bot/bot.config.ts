import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  env: z.object({
    WEATHER_KEY: z.string().min(10),
    GREETING: z.string().default('Good morning').meta({ public: true }),
    MOST_CITIES: z.coerce.number().int().default(3),
  }),
})
