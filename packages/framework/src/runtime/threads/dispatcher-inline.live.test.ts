import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceableClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

// The listeners that a bot adds to its process end with it.

const listeners = () => process.listenerCount('unhandledRejection')

test('a bot that does not load leaves no listener behind', async () => {
  await using rig = await ChatRig.start()
  const before = listeners()
  const broken = { 'commands/ping.ts': "throw new Error('broken')" }
  await expect(rig.startBot(broken, { dispatcher: 'inline' })).rejects.toThrow('broken')
  expect(listeners()).toBe(before)
})

test('a bot whose code was replaced leaves no listener behind', async () => {
  await using rig = await ChatRig.start()
  const before = listeners()
  const bot = await rig.startBot({ 'commands/ping.ts': "export default () => 'a'" }, { dispatcher: 'inline' })
  await bot.replace(rig.source({ 'commands/ping.ts': "export default () => 'b'" }))
  await bot.stop()
  expect(listeners()).toBe(before)
})

test.each(['stopped', 'movable'])('handlers of a closed bot leave no timer (%s clock)', async (kind) => {
  const base = new VirtualClock()
  const clock = kind === 'movable' ? new AdvanceableClock(base) : base
  await using rig = new Rig('inline', { clock })
  const waits = 'export default (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve))'
  await rig.dispatcher.replace(rig.source(waits))
  void rig.say(1, 'hello')
  await expect.poll(() => base.waiting).toBeGreaterThan(0)
  await rig.dispatcher.close({ graceMs: 0 })
  expect(base.waiting).toBe(0)
})

test('code that cannot be loaded again at once is loaded later, and the events wait for it', async () => {
  const clock = new VirtualClock()
  await using rig = new Rig('inline', { clock })
  const broken = join(rig.root, 'broken')
  const source = rig.source(`export default () => {}`)
  const provide = () => {
    if (existsSync(broken)) throw new Error('the database is away')
  }
  await rig.dispatcher.replace({ ...source, provide })
  writeFileSync(broken, '')
  const abandoned = rig.dispatcher.abandon()
  const said = rig.say(1, 'hello')
  await expect.poll(() => rig.logged('error').join()).toContain('the database is away')
  rmSync(broken)
  await clock.advance(1000)
  await Promise.all([abandoned, said])
})

/** Code that loads once the file is there, or never. */
const loadsAfter = (rig: Rig, file: string) => `
import { existsSync, writeFileSync } from 'node:fs'
import { onDispose } from ${JSON.stringify(new URL('../../../dist/index.js', import.meta.url).pathname)}
onDispose(() => writeFileSync(${JSON.stringify(join(rig.root, 'undone'))}, ''))
while (!existsSync(${JSON.stringify(join(rig.root, file))})) await new Promise((resolve) => setTimeout(resolve, 5).unref())
export default () => {}`

test('code that is stuck while loading can be cancelled in favor of newer code, and is disposed of if it loads', async () => {
  const before = listeners()
  await using rig = new Rig('inline')
  const newer = new AbortController()
  const stuck = rig.dispatcher.replace(rig.source(loadsAfter(rig, 'go')), { signal: newer.signal })
  const refused = expect(stuck).rejects.toThrow('newer code is there')
  newer.abort(new Error('newer code is there'))
  await refused
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'hello')
  writeFileSync(join(rig.root, 'go'), '')
  await expect.poll(() => existsSync(join(rig.root, 'undone'))).toBe(true)
  await rig.dispatcher.close({ graceMs: 0 })
  expect(listeners()).toBe(before)
})

test('code that is stuck while loading is refused when the bot stops', async () => {
  await using rig = new Rig('inline')
  await rig.dispatcher.replace(rig.source())
  const refused = expect(rig.dispatcher.replace(rig.source(loadsAfter(rig, 'never')))).rejects.toThrow('stopping')
  await rig.dispatcher.close({ graceMs: 0 })
  await refused
})

test('a start in this thread whose code is stuck can be cancelled', async () => {
  await using rig = await ChatRig.start()
  const start = new AbortController()
  const stuck = { 'commands/ping.ts': "await new Promise(() => {})\nexport default () => 'pong'" }
  const starting = rig.startBot(stuck, { dispatcher: 'inline', signal: start.signal })
  const refused = expect(starting).rejects.toThrow('no longer needed')
  await rig.until(async () => (await rig.calls('GET', /\/commands/)).length > 0)
  start.abort(new Error('no longer needed'))
  await refused
})

test('the files of events are looked up in code that is loaded again', async () => {
  await using rig = new Rig('inline')
  await rig.dispatcher.replace(rig.source())
  const abandoned = rig.dispatcher.abandon()
  const event = { id: 1, type: 'message', data: { channel_id: 'c', author_id: 'ann', content: 'x' }, created_at: '' }
  expect(await rig.dispatcher.files([{ event, attempt: 1 }])).toEqual(['events/message.ts'])
  await abandoned
})
