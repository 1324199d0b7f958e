import { defineConfig } from '@botwright/framework'

const secret = process.env['BOT_WEBHOOK_SECRET']

export default defineConfig({
  // The webhook brings an event at once; the poll brings what a webhook has lost, because nobody repeats those. Each event runs once.
  // Without a secret, as on the service of "framework dev", the bot polls alone.
  delivery: secret ? 'both' : 'poll',
  webhook: {
    // The proxy reaches it; the world does not: TLS ends at the proxy.
    host: process.env['WEBHOOK_HOST'] ?? '127.0.0.1',
    port: Number(process.env['WEBHOOK_PORT'] ?? 8788),
    path: '/events',
  },
})
