import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureIo } from '../../../program/program-io.ts'
import { replayCommand } from '../../set-aside/commands/replay-command.ts'
import { type RunHead, RunStore } from '../stored/run-store.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

// The thread of a durable run dies while it works.

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)

/** `crash()` ends the thread, unless it has done so `most` times. */
const crashing = (rig: ChatRig, most = Infinity) => `
  import { appendFileSync, existsSync, readFileSync } from 'node:fs'
  const file = ${JSON.stringify(join(rig.root, 'crashes'))}
  const crash = () => {
    if (existsSync(file) && readFileSync(file, 'utf8').length >= ${most}) return
    appendFileSync(file, 'x')
    process.exit(3)
  }`
const durable = (run: string) => `
  import { command } from ${framework}
  export default command({ description: 'x', durable: true, run: async (ctx) => { ${run} } })`
const message = { 'events/message.ts': "export default (ctx) => 'heard ' + ctx.content" }

const last = (rig: ChatRig, text: string) => rig.until(async () => (await rig.texts()).at(-1) === text)

const steps = {
  'its own code': "await ctx.step('book', () => crash())",
  'another handler': "await ctx.step('book', () => new Promise((done) => setTimeout(done, 300)))",
}

test.each(Object.entries(steps))('an answer reaches its run although %s ends the thread', async (who, step) => {
  await using rig = await ChatRig.start()
  const code = `const name = await ctx.ask('Name?', { timeout: '1h' }); ${step}; return 'got ' + name`
  await rig.startBot({
    'commands/go.ts': crashing(rig, 1) + durable(code),
    'commands/die.ts': `${crashing(rig, 1)}\nexport default () => crash()`,
    ...message,
  })
  await rig.says('ann', '/go')
  await last(rig, 'Name?')
  await rig.says('ann', 'Ann')
  if (who === 'another handler') await rig.says('ann', '/die', 'random')
  await last(rig, 'got Ann')
  expect(await rig.texts()).toEqual(['/go', 'Name?', 'Ann', 'got Ann'])
})

test(
  'an answer that ends the thread each time is set aside, and reaches its run when it is replayed',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    const stateDir = join(rig.root, 'state')
    const code = "const name = await ctx.ask('Name?', { timeout: '1h' }); crash(); return 'got ' + name"
    await rig.startBot({ 'commands/go.ts': crashing(rig, 3) + durable(code), ...message }, { stateDir })
    await rig.says('ann', '/go')
    await last(rig, 'Name?')
    await rig.says('ann', 'Ann')
    const setAside =
      /commands\/go\.ts: .*; event (\d+) is set aside after 3 attempts; framework replay \1 runs it again/
    await rig.until(() => rig.logged('error').some((line) => setAside.test(line)))
    const id = Number(setAside.exec(rig.logged('error').at(-1)!)![1])
    const io = captureIo({ cwd: stateDir, env: {} })
    await replayCommand({ ids: [id], all: false, json: false, stateDir, waitMs: 60_000, io })
    await last(rig, 'got Ann')
    expect(await rig.texts()).not.toContain('heard Ann')
  },
)

test(
  'a run that ends the thread each time it is woken has failed, and can be run again',
  { tags: ['all/real-time'] },
  async () => {
    await using rig = await ChatRig.start()
    const parked = join(rig.root, 'parked')
    const code = `
    while (!(await ctx.step('parked', () => existsSync(${JSON.stringify(parked)})))) await ctx.sleep(200)
    crash()
    return 'awake'`
    const bot = await rig.startBot({ 'commands/go.ts': crashing(rig, 4) + durable(code) })
    const runs = new RunStore(bot.store)
    const heads = () => runs.heads({ limit: 10 })
    await rig.says('ann', '/go')
    // A crash is one of the event itself until the run waits without it.
    await rig.until(async () => (await heads())[0]?.status === 'waiting' && !bot.busy)
    writeFileSync(parked, '')
    await rig.until(async () => (await heads())[0]?.status === 'failed')
    const [{ id, error }] = (await heads()) as [RunHead]
    expect(error).toBe('its handler crashed its worker 3 times')
    const failed = `run ${id} has failed after 3 attempts; framework runs retry ${id} runs it again`
    await rig.until(() => rig.logged('error').some((line) => line.includes(failed)))
    expect(await runs.due(10)).toEqual([])
    await runs.request(id, { action: 'retry' })
    await last(rig, 'awake')
  },
)

test(
  'an event that was set aside keeps the record of its run, but no message waits for it',
  { tags: ['all/real-time'] },
  async () => {
    await using rig = await ChatRig.start()
    const stateDir = join(rig.root, 'state')
    const slow = '() => new Promise((done) => setTimeout(() => done(crash()), 200))'
    const code = `const name = ctx.ask('Name?'); await ctx.step('book', ${slow}); return 'got ' + (await name)`
    const files = { 'commands/go.ts': crashing(rig, 3) + durable(code), ...message }
    const bot = await rig.startBot(files, { stateDir })
    await rig.says('ann', '/go')
    await rig.until(() => rig.logged('error').some((line) => line.includes('is set aside after 3 attempts')))
    await rig.until(async () => (await bot.store.list('run:key:')).length === 0)
    await rig.says('ann', 'Ann')
    await last(rig, 'heard Ann')
    const io = captureIo({ cwd: stateDir, env: {} })
    await replayCommand({ ids: [], all: true, json: false, stateDir, waitMs: 60_000, io })
    await rig.until(async () => (await bot.store.list('run:key:')).length === 1)
    await rig.says('ann', 'Bob')
    await last(rig, 'got Bob')
    expect((await rig.texts()).filter((text) => text === 'Name?')).toHaveLength(1)
  },
)
