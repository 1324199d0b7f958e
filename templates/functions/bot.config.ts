import { defineConfig, MemoryStore } from '@botwright/framework'
import { httpRedisStore } from '@botwright/framework/functions'

export default defineConfig({
  // Workers end an invocation 30 s after its response.
  limits: { handlerSeconds: 20 },
  // Nothing stays in a function between two requests: all its instances share this store.
  store: ({ clock }) => {
    const { BOT_BASE_URL = '', REDIS_REST_URL: url, REDIS_REST_TOKEN: token } = process.env
    if (url && token) return httpRedisStore({ url, token, prefix: 'my-bot', clock })
    // A local chat service has one instance, whose values may end with it.
    if (BOT_BASE_URL === '' || BOT_BASE_URL.startsWith('http://127.0.0.1:')) return new MemoryStore(clock)
    throw new Error('set REDIS_REST_URL and REDIS_REST_TOKEN: the instances of a function need a store that they share')
  },
})
