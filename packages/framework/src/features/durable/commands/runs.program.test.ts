import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@botwright/clock'
import { expect, test, vi } from 'vitest'
import { RunStore } from '../stored/run-store.ts'
import { History } from '../../history/history.ts'
import { timelineOf } from '../../history/timeline.ts'
import { storeIn } from '../../stored-state/state-file.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import { runProgram } from '../../../cli/cli-program.ts'
import { exitCodes } from '../../../program/exit-codes.ts'
import { captureIo } from '../../../program/program-io.ts'
import { stepTexts } from '../../history/step-texts.test.fixture.ts'

// `framework runs` next to a bot that runs or is stopped.

const checkout = fileURLToPath(new URL('../../../../../..', import.meta.url))
const framework = join(checkout, 'packages/framework/dist/index.js')
const durable = (description: string, run: string) => `import { command } from '${framework}'
  export default command({ description: '${description}', durable: true, run: async (ctx) => { ${run} } })`
const files = {
  'commands/order.ts': durable(
    'Orders',
    `const what = await ctx.ask('What?', { timeout: '2h' })
    return 'ordered ' + what`,
  ),
  'commands/pay.ts': durable(
    'Pays',
    `const sum = await ctx.ask('How much?', { timeout: '2h' })
    await ctx.step('pay', () => { if (!globalThis.canPay) throw new Error('the bank \\u001b[2J is closed') })
    return 'paid ' + sum`,
  ),
}

interface Ended {
  code: number
  stdout: string
  stderr: string
}

class Runs {
  readonly rig: ChatRig
  readonly stateDir: string

  constructor(rig: ChatRig) {
    this.rig = rig
    this.stateDir = join(rig.root, 'state')
  }

  start = () => this.rig.startBot(files, { stateDir: this.stateDir, dispatcher: 'inline', config: { record: true } })

  /** How the recording shows the event of a run. */
  recorded(id: string) {
    using history = new History(join(this.stateDir, 'history.db'))
    const [event] = history.events({ id: Number(id) })
    return { result: event!.result, steps: stepTexts(timelineOf(event!)) }
  }

  call = async (...args: string[]): Promise<Ended> => {
    const io = captureIo({ cwd: this.rig.root, env: { ...process.env, NO_COLOR: '1' } })
    const code = await runProgram(['runs', ...args, '--state', this.stateDir], io)
    return { code, stdout: io.stdout.text, stderr: io.stderr.text }
  }

  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.call(...args, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as T
  }

  list = async () =>
    (await this.json<{ runs: { id: string; file: string; status: string; bot_id: string }[] }>('list')).runs

  /** The id of the only run with this file and status, once there is one. */
  async id(file: string, status: string): Promise<string> {
    const find = async () =>
      existsSync(join(this.stateDir, 'state.db'))
        ? (await this.list()).filter((one) => one.file === file && one.status === status)
        : []
    await this.rig.until(async () => (await find()).length === 1)
    return (await find())[0]!.id
  }
}

test('lists, shows, cancels and retries the runs of a running bot', { tags: ['all/processes'] }, async () => {
  await using rig = await ChatRig.start()
  const runs = new Runs(rig)
  expect(await runs.call('list')).toEqual({
    code: 78,
    stdout: '',
    stderr: expect.stringContaining('no state has been stored yet, or --state is another folder') as unknown,
  })
  await runs.start()
  await rig.says('ann', '/order')
  await rig.until(async () => (await rig.texts()).includes('What?'))
  await rig.says('ann', '/pay', 'random')
  await rig.until(async () => (await rig.texts('random')).includes('How much?'))
  const order = await runs.id('commands/order.ts', 'waiting')
  await runs.id('commands/pay.ts', 'waiting')
  await rig.says('ann', '5', 'random')
  const pay = await runs.id('commands/pay.ts', 'failed')

  const listed = await runs.call('list')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout.split('\n')).toEqual([
    expect.stringMatching(/^Run +Status +File +Started +Waits for, or reason$/),
    expect.stringMatching(new RegExp(`^${pay} +failed +commands/pay.ts +\\d+ s ago +the bank .*is closed$`)),
    expect.stringMatching(
      new RegExp(`^${order} +waiting +commands/order.ts +\\d+ s ago +an answer from ann in #general, 2 h left$`),
    ),
    '',
  ])
  expect(listed.stdout).not.toContain('\u001b')
  expect((await runs.call('list', '--status', 'done')).stdout).toBe('no run is done\n')
  expect((await runs.call('list', '--limit', '1')).stdout).toContain('\n1 more: pass --limit 2\n')

  const shown = await runs.call('show', order)
  expect(shown.stdout).toMatch(/^Waits for +an answer from ann in #general, /m)
  expect(shown.stdout).toMatch(/^1 +call +messages.create +\S*commands\/order\.\S+ .* done$/m)
  expect(shown.stdout).toMatch(/^2 +answer +an answer from ann in #general +\S+:2 .* waiting$/m)
  expect(await runs.json('show', order)).toMatchObject({
    id: order,
    status: 'waiting',
    waits_for: 'answer',
    channel_id: rig.channel('general'),
    log: [
      { step: 1, kind: 'call', name: 'messages.create' },
      { step: 2, kind: 'answer', ended_at: null },
    ],
  })

  // A failed run keeps its steps for a day, without their results.
  const failed = await runs.call('show', pay)
  expect(failed.stdout).toMatch(/^Reason +the bank .*is closed$/m)
  expect(failed.stdout).toMatch(/^3 +step +pay .* failed: the bank .*is closed$/m)

  // Only what fits the status.
  expect(await runs.call('retry', order)).toEqual({
    code: 1,
    stdout: '',
    stderr: `run ${order} is waiting: only failed runs can be retried\n`,
  })
  expect(await runs.call('cancel', pay)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has failed: only waiting runs'),
  })
  for (const args of [['show', '7'] as const, ['cancel', '7'] as const, ['retry', 'a:b.ts'] as const])
    expect(await runs.call(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `no run ${args[1]} is stored; framework runs list shows those that are\n`,
    })
  expect(await runs.call('list', '--status', 'x')).toMatchObject({ code: 2 })
  expect(await runs.call('list', '--limit', '0')).toMatchObject({ code: 2 })
  expect(await runs.call('cancel')).toMatchObject({ code: 2 })
  expect(await runs.call('list', '--bot', 'b')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('has no values of the bot b; it has those of: '),
  })

  expect(await runs.call('cancel', order)).toEqual({
    code: 0,
    stdout: `run ${order} is cancelled\n`,
    stderr: '',
  })
  expect((await rig.texts()).at(-1)).toBe('This conversation was cancelled. To start again: /order')

  expect(await runs.call('retry', pay)).toMatchObject({
    stdout: `run ${pay} began again, and is waiting: an answer from ann in #random, 2 h left\n`,
  })
  await rig.until(() => Promise.resolve(runs.recorded(pay).result === 'unfinished'))
  expect(runs.recorded(pay).steps).toContain(`run ${pay} of commands/pay.ts began again`)
  await rig.says('ann', '6', 'random')
  await runs.id('commands/pay.ts', 'failed')
  ;(globalThis as { canPay?: boolean }).canPay = true
  try {
    expect(await runs.json('retry', pay)).toMatchObject({ id: pay, action: 'retry', done: true, status: 'waiting' })
    await rig.says('ann', '7', 'random')
    await runs.id('commands/pay.ts', 'done')
  } finally {
    delete (globalThis as { canPay?: boolean }).canPay
  }
  expect((await rig.texts('random')).at(-1)).toBe('paid 7')
  expect((await runs.call('show', pay)).stdout).toMatch(/^Steps +4 \(only waiting and failed runs keep them\)$/m)
  expect(await runs.json('show', pay)).toMatchObject({ status: 'done', log: [] })
})

test('shows why a run ended early although it is done', async () => {
  await using rig = await ChatRig.start()
  const runs = new Runs(rig)
  await runs.start()
  const asked = (count: number) =>
    rig.until(async () => (await rig.texts()).filter((text) => text === 'What?').length === count)
  await rig.says('ann', '/order')
  await asked(1)
  const first = await runs.id('commands/order.ts', 'waiting')
  await rig.says('ann', '/order')
  await asked(2)
  await runs.id('commands/order.ts', 'done')
  expect(await runs.json('show', first)).toMatchObject({
    status: 'done',
    note: 'a newer question to the same person in the same channel replaced its question',
  })
  await rig.says('ann', 'cancel')
  await rig.until(async () => (await runs.list()).every(({ status }) => status === 'done'))
  expect((await runs.call('list')).stdout).toMatch(
    / done .* its user cancelled a question\n.* done .* a newer question/,
  )
})

test('a stopped bot carries out the request when it starts', { tags: 'all/processes' }, async () => {
  await using rig = await ChatRig.start()
  const runs = new Runs(rig)
  const bot = await runs.start()
  await rig.says('ann', '/order')
  const order = await runs.id('commands/order.ts', 'waiting')
  await bot.stop()
  expect(await runs.json('cancel', order)).toEqual({
    id: order,
    bot_id: bot.me.id,
    action: 'cancel',
    done: false,
    status: 'waiting',
  })
  expect((await runs.call('cancel', order)).stdout).toBe(
    `run ${order} is not cancelled yet: a busy bot does it soon, and a stopped one when it starts\n`,
  )
  await runs.start()
  await runs.id('commands/order.ts', 'cancelled')
  await rig.until(async () => (await rig.texts()).at(-1) === 'This conversation was cancelled. To start again: /order')
})

test('a run id that two bots of a folder have requires --bot', async () => {
  await using rig = await ChatRig.start()
  const runs = new Runs(rig)
  const second = 'b2000000-0000-7000-8000-00000000000b'
  for (const botId of ['b1', second]) {
    using store = storeIn(runs.stateDir, botId)
    const now = systemClock.now()
    const event = { id: 5, type: 'message', created_at: new Date(now).toISOString(), data: {} }
    const facts = { id: '5', file: 'commands/order.ts', event, startedMs: now, changedMs: now, waits: [], steps: 1 }
    await new RunStore(store).save({ ...facts, status: 'done' }, { keys: new Set() }, [])
  }
  expect((await runs.list()).map(({ bot_id }) => bot_id).toSorted()).toEqual(['b1', second])
  expect((await runs.call('list')).stdout).toMatch(/^Run .* Bot\n5 .* b[12].*\n5 .* b[12].*\n$/)
  expect(await runs.call('show', '5')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining(`2 bots have a run 5: pass --bot b1 or --bot ${second}`),
  })
  for (const typed of [second, second.toUpperCase()])
    expect(await runs.json('show', '5', '--bot', typed)).toMatchObject({ id: '5', bot_id: second, log: [] })
})

test('finds the run of an event without its file', async () => {
  await using rig = await ChatRig.start()
  const runs = new Runs(rig)
  const save = async (file: string) => {
    using store = storeIn(runs.stateDir, 'b1')
    const now = systemClock.now()
    const event = { id: 5, type: 'message', created_at: new Date(now).toISOString(), data: {} }
    const facts = { id: `5:${file}`, file, event, startedMs: now, changedMs: now, waits: [], steps: 1 }
    await new RunStore(store).save({ ...facts, status: 'done' }, { keys: new Set() }, [])
  }
  await save('events/message.ts')
  expect(await runs.json('show', '5')).toMatchObject({ id: '5:events/message.ts' })
  expect((await runs.call('list')).stdout).toMatch(/^5 +done +events\/message\.ts/m)
  expect((await runs.call('cancel', '5')).stderr).toBe(
    'run 5:events/message.ts is done: only waiting runs can be cancelled\n',
  )
  await save('plugin/events/message.ts')
  expect(await runs.call('show', '5')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining(
      'several files have a run of event 5: pass 5:events/message.ts or 5:plugin/events/message.ts',
    ),
  })
  expect((await runs.call('list')).stdout).toMatch(/^5:events\/message\.ts +done +events\/message\.ts/m)
  expect(await runs.json('show', '5:events/message.ts')).toMatchObject({ file: 'events/message.ts' })
})

test('reads the configuration of a clustered bot once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'botwright-clustered-'))
  const build = { version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.js' }
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(build))
  const config = "console.log('evaluated'); export default { cluster: { url: 'redis://127.0.0.1:6379' } }"
  writeFileSync(join(root, 'dist/bot.config.js'), config)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const log = vi.spyOn(console, 'log').mockReturnValue()
  try {
    const io = captureIo({ cwd: root, env: { BOT_TOKEN: 'token-of-worker', BOT_BASE_URL: 'http://127.0.0.1:9/v1' } })
    expect(await runProgram(['runs', 'list'], io)).toBe(exitCodes.config)
    expect(io.stderr.text).toContain('framework runs needs @botwright/cluster')
    expect(log.mock.calls).toEqual([['evaluated']])
  } finally {
    log.mockRestore()
    rmSync(root, { recursive: true })
  }
})
