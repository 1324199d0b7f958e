import { expect, test } from 'vitest'
import { createClient } from '@botwright/rest/client'
import { createCall } from '@botwright/rest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'

// The database of the service is replaced: its event ids start again, so that a new event has the id of an old one (decisions, row 17).

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

const files = {
  'commands/pay.ts': `export default (ctx) => ctx.once('charge', () => 'charged ' + ctx.envelope.id + ' for ' + ctx.typed)`,
  'commands/leave.ts': `import { command } from ${framework}
    export default command({ description: 'x', durable: true, run: (ctx) => ctx.step('a', () => 'left ' + ctx.envelope.id) })`,
  'commands/news.ts': `export default async (ctx) => {
    await ctx.broadcast([ctx.event.channel_id], 'news ' + ctx.envelope.id)
  }`,
  'commands/cool.ts': `import { command, cooldown } from ${framework}
    export default command({ description: 'x', guards: [cooldown('1d', { per: 'global' })], run: (ctx) => 'cool ' + ctx.envelope.id })`,
}
const typed = ['/pay', '/leave', '/news', '/cool']

test.each(['inline', 'worker'] as const)(
  'a new event with the id of an old one is not taken for it (%s)',
  async (dispatcher) => {
    await using first = await ChatRig.start()
    const bot = await first.startBot(files, { dispatcher, stateDir: ':memory:' })
    const converse = async (rig: ChatRig, name: string) => {
      for (const text of typed) {
        const count = (await rig.texts()).length
        await rig.says('ann', `${text} ${name}`)
        await rig.until(async () => (await rig.texts()).length === count + 2)
      }
      return (await rig.texts()).filter((text) => !text.startsWith('/'))
    }
    const before = await converse(first, 'A')
    const ids = before.map((text) => Number(/\d+/.exec(text)?.[0]))
    expect(before).toEqual([`charged ${ids[0]} for A`, `left ${ids[1]}`, `news ${ids[2]}`, `cool ${ids[3]}`])
    const apiOf = (rig: ChatRig) => createClient(createCall({ baseUrl: rig.service.base_url, token }))
    const { commands } = await apiOf(first).commands.list()
    await first.service.close()
    await using second = await ChatRig.start(['ann'], { port: Number(new URL(first.service.url).port) })
    await apiOf(second).commands.replace({ commands })
    await first.until(() => first.logged('warn').some((line) => line.includes('the feed was reset')))
    expect(await converse(second, 'B')).toEqual([
      `charged ${ids[0]} for B`,
      `left ${ids[1]}`,
      `news ${ids[2]}`,
      expect.stringMatching(/^Wait /),
    ])
    // The last reply arrives before its handler has ended.
    await first.until(() => bot.stats().finished === 8)
    expect(bot.stats().waiting).toBe(0)
  },
)
