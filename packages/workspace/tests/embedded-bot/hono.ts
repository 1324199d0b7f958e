import { createBot } from '@botwright/framework/embed'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const bot = await createBot('./my-bot', { basePath: '/bot' })
await bot.start()

const app = new Hono()
app.get('/', (c) => c.text('the shop'))
app.all('/bot/*', (c) => bot.fetch(c.req.raw))
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) })

process.once('SIGTERM', () => {
  server.close()
  void bot.stop()
})
