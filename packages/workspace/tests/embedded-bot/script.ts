import { createBot } from '@botwright/framework/embed'

await using bot = await createBot('./my-bot')
const { call, me } = await bot.start()
await call('messages.create', { channel_id: String(process.env['ORDERS']), content: `${me.username} counts the stock` })
