import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { RunningBot } from '../../runtime/ports/running-bot.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'
import { goOn, members, untilGoOn } from './two-instances.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

// Durable handlers on several instances: any of them continues a run, and only one at a time does.

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const durable = (run: string) =>
  `import { command, guard } from ${framework}
  export default command({ description: 'x', durable: true, run: async (ctx) => { ${run} } })`

const talk = durable(`
  const name = await ctx.ask('Name?', { timeout: '1h' })
  const drink = await ctx.choose('Drink?', ['tea', 'coffee'], { timeout: '1h' })
  const count = await ctx.state.user.update('talks', (n) => (n ?? 0) + 1)
  return name + ' gets ' + drink + ', ' + count`)
const files = { 'commands/go.ts': talk, 'events/message.ts': "export default (ctx) => 'heard ' + ctx.content" }
const whole = ['/go', 'Name?', 'Ann', 'Drink?\n**tea**', 'Ann gets tea, 1']

const last = (rig: ChatRig, text: string) => rig.until(async () => (await rig.texts()).at(-1) === text)

test('the other instance continues a run after each stop of its owner', async () => {
  await using rig = await ChatRig.start()
  const cluster = new MemoryCluster()
  const start = () => rig.startBot(files, { dispatcher: 'inline', cluster })
  let owner = await start()
  const next = async () => {
    const other = await start()
    await owner.stop()
    owner = other
  }
  await rig.says('ann', '/go')
  await last(rig, 'Name?')
  await next()
  await rig.says('ann', 'Ann')
  await last(rig, 'Drink?')
  await next()
  await rig.clicks()
  await last(rig, whole.at(-1)!)
  expect(await rig.texts()).toEqual(whole)
  await rig.says('ann', 'bye')
  await last(rig, 'heard bye')
  await owner.stop()
  expect(rig.logged('error')).toEqual([])
  cluster.close()
})

test('the other instance continues a run whose owner was cut off, and the owner stops working on it', async () => {
  await using it = await members(files)
  const { rig, cluster } = it
  const owner = async () => ((await cluster.store.list('run:head:'))[0]?.value as { machine: string }).machine
  const cutOff = async () => {
    const id = await owner()
    await cluster.cutOff(cluster.members.find((member) => member.id === id)!)
  }
  await rig.says('ann', '/go')
  await last(rig, 'Name?')
  await rig.until(async () => (await cluster.store.list('run:head:')).length === 1)
  await cutOff()
  await rig.says('ann', 'Ann')
  await last(rig, 'Drink?')
  await cutOff()
  await rig.clicks()
  await last(rig, whole.at(-1)!)
  expect(await rig.texts()).toEqual(whole)
})

test('a timer ends once, on one instance, even after its owner has died', async () => {
  const sleeps = durable(
    "await ctx.sleep('1h'); await ctx.send(ctx.channel_id, 'one'); await ctx.sleep('1h'); return 'two'",
  )
  const clock = new AdvanceableClock(systemClock)
  await using it = await members({ 'commands/go.ts': sleeps }, { clock })
  const { rig, cluster, bots } = it
  await rig.says('ann', '/go')
  await rig.until(async () => (await cluster.store.list('run:due:')).length === 1)
  const { machine } = (await cluster.store.list('run:head:'))[0]!.value as { machine: string }
  await bots[cluster.members.findIndex(({ id }) => id === machine)]!.stop({ graceMs: 0 })
  expect(await rig.texts()).toEqual(['/go'])
  await rig.until(async () => (await rig.texts()).at(-1) === 'two' || (clock.advance(600_000), false))
  expect(await rig.texts()).toEqual(['/go', 'one', 'two'])
  await rig.until(async () => (await cluster.store.list('run:due:')).length === 0)
})

test('an answer reaches a run that is being continued on another instance', async () => {
  const waits = (rig: ChatRig) =>
    durable(`
    const first = await ctx.ask('First?', { timeout: '1h' })
    await ctx.step('slow', async () => { ${untilGoOn(rig)} })
    return first + ' ' + (await ctx.ask('Second?', { timeout: '1h' }))`)
  await using it = await members((rig) => ({ 'commands/go.ts': waits(rig) }), {}, ['ann', 'bob'])
  const { rig, cluster, bots } = it
  await rig.says('ann', '/go')
  await last(rig, 'First?')
  await rig.says('ann', 'a')
  await rig.says('ann', 'b')
  await rig.until(() => [...cluster.lanes.values()].flat().some(({ event }) => event.data?.['content'] === 'b'))
  await goOn(rig)
  await last(rig, 'Second?')
  await rig.says('ann', 'c')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('a ')))
  await rig.until(() => bots.every((bot: RunningBot) => bot.stats().running === 0))
  expect((await rig.texts()).filter((text) => text.startsWith('a '))).toHaveLength(1)
})

test('a reply to an older question reaches its run on another instance', inAll, async () => {
  const asks = durable(`
    const { reason } = await ctx.approve({ in: '#random', title: ctx.user.name + ' asks', by: guard({ describe: 'x', refusal: '', check: () => true }) })
    return ctx.user.name + ': ' + reason`)
  await using it = await members({ 'commands/go.ts': asks }, {}, ['ann', 'bob'])
  const { rig } = it
  const channel_id = rig.channel('random')
  const { messages, clicks } = rig.person('ann')
  const declined = async (who: string) => {
    await rig.says(who, '/go')
    const found = async () =>
      (await messages.list({ channel_id })).messages.find(({ components }) => components.length > 0)
    await rig.until(async () => (await found()) !== undefined)
    const { id: message_id, components } = (await found())!
    const custom_id = components[0]!.components[1]!.custom_id!
    await clicks.create({ channel_id, message_id, custom_id })
    const why = async () =>
      (await messages.list({ channel_id })).messages.find(({ content }) => content.includes(`"${who} asks"`))
    await rig.until(async () => (await why()) !== undefined)
    return (await why())!.id
  }
  const first = await declined('ann')
  await declined('bob')
  // The older question waits for a reply once its run has noticed the newer one.
  const { store } = it.cluster
  await rig.until(async () => (await store.list('run:key:reply:')).length === 1)
  await messages.create({ channel_id, content: 'too many', reply_to: first })
  await last(rig, 'ann: too many')
  await rig.says('ann', 'too late', 'random')
  await last(rig, 'bob: too late')
})
