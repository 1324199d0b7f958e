import { expect, test } from 'vitest'
import { choice } from '../author/buttons/face.ts'
import { MemoryStore } from '../author/state/memory-store.ts'
import { Broadcaster } from '../features/broadcasts/broadcaster.ts'
import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { deliver, message, start } from '../tests/loaded-bot.test.fixture.ts'

// Ids that authors give count in any case (decisions row 52).

const ann = '0194f3a0-aaaa-7abc-8def-0123456789ab'
const channel = '0194f3a0-cccc-7abc-8def-0123456789ab'
const upper = (id: string) => id.toUpperCase()

const said = (calls: [string, Record<string, unknown>][]) =>
  calls.filter(([name]) => name === 'messages.create').map(([, { content }]) => content)

test('the person and the message of a click [spec: decisions/52]', async () => {
  const code = `export default async (ctx) => {
    const { id } = await ctx.reply('Well?')
    const click = await ctx.clicked({ id: id.toUpperCase() }, { by: '${upper(ann)}' })
    return 'clicked by ' + click.user.name
  }`
  const posted = '0194f3a0-dddd-7abc-8def-0123456789ab'
  const calls: [string, Record<string, unknown>][] = []
  const call = (async (name: string, input: Record<string, unknown>) => {
    calls.push([name, input])
    return { id: posted, channel_id: channel, content: 'x' }
  }) as unknown as Call
  const { bot } = await start({ 'commands/go.ts': code }, {}, { call })
  const begun = bot.handle(message({ command: 'go' }))
  await new Promise((resolve) => setImmediate(resolve))
  const { custom_id } = choice('x', { label: 'x' })
  const click = { id: posted, token: 't', custom_id, message_id: posted, channel_id: channel }
  void bot.handle(deliver('interaction', { ...click, user_id: ann, username: 'ann' }))
  await begun
  expect(said(calls)).toEqual(['Well?', 'clicked by ann'])
})

test('the owner of a stored value, and its server in a list [spec: decisions/52]', async () => {
  const server = '0194f3a0-bbbb-7abc-8def-0123456789ab'
  const code = `
    import { state } from 'botwright'
    const points = state({ scope: 'member', name: 'points' })
    export default async (ctx) => {
      await points.of(ctx).set(3)
      await ctx.state.user.set('colour', 'red')
      const owner = { server_id: '${upper(server)}', user_id: '${upper(ann)}' }
      const [listed] = await points.list(ctx, { server_id: '${upper(server)}' })
      return [await points.of(ctx, owner).get(), await ctx.state.for(owner).user.get('colour'), listed.value].join()
    }`
  const { bot, calls } = await start({ 'commands/go.ts': code })
  await bot.handle(message({ command: 'go', author_id: ann, server_id: server }))
  expect(said(calls)).toEqual(['3,red,3'])
})

test('a value that an earlier version stored under an id in upper case is in the list, and can be stored again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  await store.set(`state:user:points:${upper(ann)}`, { v: 1, value: 7 })
  const code = `
    import { state } from 'botwright'
    const points = state({ scope: 'user', name: 'points' })
    export default async (ctx) => {
      for (const { owner, value } of await points.list(ctx)) await points.of(ctx, owner).set(value)
      return String(await points.of(ctx).get())
    }`
  const { bot, calls } = await start({ 'commands/go.ts': code }, {}, { store, clock })
  await bot.handle(message({ command: 'go', author_id: ann }))
  expect(said(calls)).toEqual(['7'])
})

test('the channels of a broadcast [spec: decisions/52]', async () => {
  const clock = new VirtualClock()
  const sent: string[] = []
  const call = ((_: string, { channel_id }: { channel_id: string }) => {
    sent.push(channel_id)
    return Promise.resolve({ id: ann })
  }) as unknown as Call
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const broadcasts = new Broadcaster({ call, store: new MemoryStore(clock), clock, log })
  await broadcasts.start('x', { channels: [upper(channel), channel], message: { content: 'Hello' } })
  expect(await broadcasts.next('x', Infinity)).toMatchObject({ total: 1, state: 'done' })
  expect(sent).toEqual([channel])
})

test.each([["''"], ["'ann'"], ['[]'], ['null'], ["['" + ann + "']"]])(
  'ctx.clicked refuses by: %s instead of waiting in vain',
  async (by) => {
    const { bot, logged } = await start({
      'commands/go.ts': `export default async (ctx) => { await ctx.clicked({ id: '${ann}' }, { by: ${by} }) }`,
    })
    await bot.handle(message({ command: 'go' }))
    expect(logged).toEqual([expect.stringContaining("by must be 'author', 'anyone' or the id of a user, not ")])
  },
)

test('ctx.clicked refuses to wait for the user of an event that has none', async () => {
  const { bot, calls, logged } = await start({
    'events/test.ts': "export default async (ctx) => { await ctx.clicked({ id: '" + ann + "' }) }",
  })
  await bot.handle(deliver('test', { channel_id: channel, server_id: null }))
  expect([logged, calls]).toEqual([
    [expect.stringContaining('"test" has no user to click: pass { by: \'anyone\' }')],
    [],
  ])
})
