// Botwright's client without its message budget, since no other client here has one.
import { createCall } from '@botwright/rest'

export async function create({ baseUrl, concurrency }) {
  const call = createCall({ baseUrl: `${baseUrl}/v1`, token: 'bench', connections: concurrency, messageBudget: false })
  const channels = Array.from({ length: 50 }, (_, i) => `018f2b6e-0000-7000-8000-${String(900 + i).padStart(12, '0')}`)
  return (i) => call('messages.create', { channel_id: channels[i % 50], content: 'pong: hello world' })
}
