import { defineConfig } from '@botwright/framework'
import { httpRedisStore } from '@botwright/framework/functions'

export default defineConfig({
  limits: { handlerSeconds: 20 },
  // Called when the first request arrives: Workers have no variables before.
  store: ({ clock }) =>
    httpRedisStore({
      url: process.env['REDIS_REST_URL'] ?? '',
      token: process.env['REDIS_REST_TOKEN'] ?? '',
      prefix: 'poll-bot',
      clock,
    }),
})
