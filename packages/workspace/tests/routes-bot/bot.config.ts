import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  env: z.object({
    GITHUB_SECRET: z.string().min(10),
    ALERT_TOKEN: z.string().min(10),
    RELEASES: z.string().meta({ public: true }),
  }),
})
