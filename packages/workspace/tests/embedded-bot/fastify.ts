import { createBot } from '@botwright/framework/embed'
import Fastify from 'fastify'

const bot = await createBot('./my-bot', { basePath: '/bot' })
await bot.start()

const app = Fastify()
app.get('/', () => 'the shop')
app.register(async (scope) => {
  // The bot reads the bodies itself, because it checks signatures over their bytes.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.all('/bot/*', (request, reply) => {
    reply.hijack()
    bot.node(request.raw, reply.raw)
  })
})
await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

process.once('SIGTERM', () => {
  void app.close()
  void bot.stop()
})
