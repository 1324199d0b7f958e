import { defineConfig } from '@botwright/framework'

const secret = process.env['BOT_WEBHOOK_SECRET']

export default defineConfig({
  // The webhook delivers events at once and is never retried; polling fetches the ones it lost. Each event runs once.
  // Without a secret, as under "framework dev", the bot only polls.
  delivery: secret ? 'both' : 'poll',
  webhook: {
    // Only the proxy can reach it; TLS ends at the proxy.
    host: process.env['WEBHOOK_HOST'] ?? '127.0.0.1',
    port: Number(process.env['WEBHOOK_PORT'] ?? 8788),
    path: '/events',
  },
})
