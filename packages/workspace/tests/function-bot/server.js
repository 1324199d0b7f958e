import { createServer } from 'node:http'
import { nodeHandler } from '@botwright/framework/functions'
import bot from './dist/bot.mjs'

const handler = nodeHandler(bot)
const server = createServer(handler).listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1')
const scheduled = () => void bot.scheduled().catch(console.error)
scheduled()
const timer = setInterval(scheduled, 60_000)

process.once('SIGTERM', () => {
  clearInterval(timer)
  server.close(() => void handler.idle().then(() => process.exit()))
})
