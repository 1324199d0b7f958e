import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  env: z.object({ TEAM_ZONE: z.string().default('Europe/Berlin').meta({ public: true }) }),
})
