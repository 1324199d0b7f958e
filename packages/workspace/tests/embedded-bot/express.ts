import { createBot } from '@botwright/framework/embed'
import express from 'express'

const bot = await createBot('./my-bot')
await bot.start()

const app = express()
// Before express.json(), because the bot checks signatures over the bytes of a body.
app.use('/bot', bot.node)
app.use(express.json())
app.get('/', (_req, res) => void res.send('the shop'))
const server = app.listen(Number(process.env['PORT'] ?? 3000))

process.once('SIGTERM', () => {
  server.close()
  void bot.stop()
})
