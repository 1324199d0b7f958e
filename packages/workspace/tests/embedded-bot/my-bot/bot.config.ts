import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({
  delivery: 'webhook',
  webhook: { path: '/events' },
  env: z.object({
    SHOP_SECRET: z.string().min(10),
    ORDERS: z.string().meta({ public: true }),
  }),
})
