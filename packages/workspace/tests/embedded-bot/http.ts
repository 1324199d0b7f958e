import { createServer } from 'node:http'
import { createBot } from '@botwright/framework/embed'

const bot = await createBot('./my-bot', { basePath: '/bot' })
await bot.start()

const server = createServer((req, res) => bot.node(req, res, () => res.end('the shop')))
server.listen(Number(process.env['PORT'] ?? 3000))

process.once('SIGTERM', () => {
  server.close()
  void bot.stop()
})
