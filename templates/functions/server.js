// Serves out/bot.mjs with Node. The variables of the bot are those of the process.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { nodeHandler } from '@botwright/framework/functions'
import bot from './out/bot.mjs'

const { PORT = '8080', SCHEDULE_SECONDS = '60' } = process.env

async function serve() {
  const handler = nodeHandler(bot)
  const server = createServer(handler).listen(Number(PORT), '127.0.0.1')
  await once(server, 'listening')
  // The next run repeats what failed.
  const scheduled = () => bot.scheduled().catch(console.error)
  await scheduled()
  const timer = setInterval(() => void scheduled(), Number(SCHEDULE_SECONDS) * 1000)
  process.once('SIGTERM', () => {
    clearInterval(timer)
    server.close(() => void handler.idle().then(() => process.exit()))
  })
  console.log(`listening on http://127.0.0.1:${server.address().port}/`)
}

await serve()
