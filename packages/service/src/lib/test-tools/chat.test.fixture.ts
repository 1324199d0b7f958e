import { startBrowser } from './browser.test.fixture.ts'
import type { World } from '../world/world.ts'

const botToken = 'token-of-pollster'

/** A world with everything that the chat page shows: a category, private, read-only, slowmode and voice channels, two servers. */
export const chatWorld = (): World => ({
  people: [{ username: 'ann' }, { username: 'bob' }, { username: 'carol' }],
  bots: [{ username: 'pollster', owner: 'ann', token: botToken }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob', 'carol'],
      bots: ['pollster'],
      roles: [{ name: 'mods', permissions: ['manage_messages'], members: ['bob'], color: '#c2410c' }],
      categories: [{ name: 'Talk' }],
      channels: [
        { name: 'general' },
        { name: 'random' },
        { name: 'staff', private: true, roles: ['mods'], category: 'Talk' },
        { name: 'news', read_only: true, category: 'Talk' },
        { name: 'slow', slowmode: 60, category: 'Talk' },
        { name: 'Lounge', type: 'voice', category: 'Talk' },
      ],
    },
    { name: 'Game night', owner: 'bob', members: ['ann'], channels: [{ name: 'dice' }] },
  ],
})

const button = (style: string, label: string) => ({ type: 'button', style, label, custom_id: label })
/** The buttons of the bot's response to `/order`; it never answers a click on Coffee. */
const order = {
  embeds: [{ title: 'What may it be?', description: '**Hot** only', color: '#16794a' }],
  components: [
    {
      type: 'row',
      components: [
        button('primary', 'Tea'),
        button('secondary', 'Coffee'),
        button('success', 'Water'),
        { ...button('danger', 'Beer'), disabled: true },
        { type: 'button', style: 'link', label: 'Menu', url: 'https://example.com/menu' },
      ],
    },
    { type: 'row', components: [button('secondary', 'Thanks')] },
  ],
}

interface Event {
  type: string
  data: Record<string, string>
}
type Polled = { last: number; events: Event[] }

/** The chat page in a browser, with a bot for orders. For this package's own tests. */
export async function startChatTest() {
  const browser = await startBrowser(chatWorld())
  let stopped = false
  const bot = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await browser.bot(botToken, method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  async function answerTo({ type, data }: Event): Promise<void> {
    if (type === 'message' && data['command'] === 'order') {
      await bot('POST', `/channels/${data['channel_id']}/messages`, { ...order, reply_to: data['id'] })
    }
    if (type !== 'interaction') return
    const callback = (body: object) => bot('POST', `/interactions/${data['id']}/${data['token']}/callback`, body)
    if (data['custom_id'] === 'Tea') {
      await callback({ type: 'update', content: `Tea for ${data['username']}!`, components: null })
      await callback({ type: 'ephemeral', content: 'Mind, it is hot.' })
    }
    if (data['custom_id'] === 'Water') await callback({ type: 'reply', content: `Water for ${data['username']}` })
    if (data['custom_id'] === 'Thanks') await callback({ type: 'ack' })
  }
  // Before any page opens: without the registered command, a message is none.
  await bot('PUT', '/commands', { commands: [{ name: 'order', description: 'Takes your order' }] })
  let { last } = await bot<Polled>('GET', '/events?after=0')
  async function run(): Promise<void> {
    while (!stopped) {
      const polled = await bot<Polled>('GET', `/events?after=${last}&wait=1`)
      last = polled.last
      for (const event of polled.events) await answerTo(event)
    }
  }
  const running = run().catch((error: unknown) => browser.problems.push(`the bot of the test: ${String(error)}`))
  return {
    ...browser,
    channel: (name: string, server = 'Workshop') =>
      `/channels/${browser.service.world.servers[server]!.channels[name]!}`,
    async close(): Promise<void> {
      stopped = true
      await running
      await browser.close()
    },
  }
}
export type ChatTest = Awaited<ReturnType<typeof startChatTest>>
