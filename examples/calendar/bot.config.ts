import { defineConfig } from '@botwright/framework'
import languages from '@botwright/languages'
import { z } from 'zod'

export default defineConfig({
  env: z.object({
    ZONE: z.string().default('Europe/Berlin').meta({ public: true }),
    ANNOUNCE_TOKEN: z.string().min(16),
    ANNOUNCE_CHANNEL: z.string().default('general').meta({ public: true }),
  }),
  plugins: { languages: languages({ fallback: 'en', timezone: { env: 'ZONE' } }) },
})
