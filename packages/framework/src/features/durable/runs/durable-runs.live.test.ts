import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureIo } from '../../../program/program-io.ts'
import { replayCommand } from '../../set-aside/commands/replay-command.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Durable handlers on the real local service, with restarts.

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)

const signup = `
  import { command, integer } from ${framework}
  let began = 0
  export default command({
    description: 'Signs up',
    durable: true,
    run: async (ctx) => {
      began++
      const name = await ctx.ask('Name?', { timeout: '1h' })
      const age = await ctx.ask('Age?', { as: integer({ min: 1 }), timeout: '1h' })
      const id = await ctx.step('save', () => 'saved ' + name)
      await ctx.state.user.update('signups', (n) => (n ?? 0) + 1)
      return name + ' is ' + age + ', ' + id + ', ' + (await ctx.state.user.get('signups'))
    },
  })`
const files = {
  'commands/signup.ts': signup,
  'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
}
const whole = [
  '/signup',
  'Name?',
  'Ann',
  'Age?',
  'x',
  expect.stringContaining('whole number'),
  '7',
  'Ann is 7, saved Ann, 1',
]

async function last(rig: ChatRig, text: unknown): Promise<void> {
  await rig.until(async () => (await rig.texts()).at(-1) === text)
}
async function count(rig: ChatRig, messages: number): Promise<void> {
  await rig.until(async () => (await rig.texts()).length === messages)
}

test.each(['inline', 'worker'] as const)(
  'a conversation continues after a restart before each answer (%s)',
  slow,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const options = { stateDir: join(rig.root, 'state'), dispatcher }
    let bot = await rig.startBot(files, options)
    const restart = async () => {
      await bot.stop()
      bot = await rig.startBot(files, options)
    }
    await rig.says('ann', '/signup')
    await last(rig, 'Name?')
    await restart()
    await rig.says('ann', 'Ann')
    await last(rig, 'Age?')
    await restart()
    await rig.says('ann', 'x')
    await count(rig, 6)
    await restart()
    await rig.says('ann', '7')
    await count(rig, 8)
    expect(await rig.texts()).toEqual(whole)
    await rig.says('ann', 'bye')
    await last(rig, 'heard bye')
    expect(rig.logged('error')).toEqual([])
  },
)

test('answers that were typed while the bot was down are received', async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const bot = await rig.startBot(files, options)
  await rig.says('ann', '/signup')
  await last(rig, 'Name?')
  await bot.stop()
  await rig.says('ann', 'Ann')
  await rig.startBot(files, options)
  await last(rig, 'Age?')
  expect(await rig.texts()).toEqual(['/signup', 'Name?', 'Ann', 'Age?'])
})

const durable = (run: string) =>
  `import { command, integer } from ${framework}
  export default command({ description: 'x', durable: true, run: async (ctx) => { ${run} } })`

test('a click on a choice continues the run after a restart', slow, async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const code = {
    'commands/pick.ts': durable("return 'chose ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '1h' }))"),
  }
  const bot = await rig.startBot(code, options)
  await rig.says('ann', '/pick')
  await last(rig, 'Which?')
  await bot.stop()
  await rig.startBot(code, options)
  await rig.clicks()
  await last(rig, 'chose a')
  expect(await rig.texts()).toEqual(['/pick', 'Which?\n**a**', 'chose a'])
})

test('framework replay runs a failed run again from its beginning, also after a restart', slow, async () => {
  await using rig = await ChatRig.start()
  const stateDir = join(rig.root, 'state')
  const code = (before: string) => ({
    'commands/ask.ts': durable(`${before} return 'got ' + (await ctx.ask('Word?', { timeout: '1h' }))`),
  })
  let bot = await rig.startBot(code(''), { stateDir })
  await rig.says('ann', '/ask')
  await last(rig, 'Word?')
  await bot.stop()
  bot = await rig.startBot(code("await ctx.step('new', () => 1);"), { stateDir })
  await rig.says('ann', 'tea')
  await rig.until(() => rig.logged('error').some((line) => line.includes('is set aside')))
  const id = Number(/^event (\d+)/.exec(rig.logged('error').find((line) => line.includes('is set aside'))!)![1])
  await bot.stop()
  await rig.startBot(code("await ctx.step('new', () => 1);"), { stateDir })
  const asked = (await rig.texts()).length
  const io = captureIo({ cwd: stateDir, env: {} })
  await replayCommand({ ids: [id], all: false, json: false, stateDir, waitMs: 60_000, io })
  await rig.until(async () => (await rig.texts()).length === asked + 1)
  expect((await rig.texts()).at(-1)).toBe('Word?')
  await rig.says('ann', 'coffee')
  await last(rig, 'got coffee')
})

test('a run stops with ERR_NOT_DETERMINISTIC when its code has changed, and the user is notified', async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const code = (before: string) => ({
    'commands/ask.ts': durable(`${before} return 'got ' + (await ctx.ask('Word?', { timeout: '1h' }))`),
  })
  const bot = await rig.startBot(code(''), options)
  await rig.says('ann', '/ask')
  await last(rig, 'Word?')
  await bot.stop()
  await rig.startBot(code("await ctx.step('new', () => 1);"), options)
  await rig.says('ann', 'tea')
  await rig.until(async () => /^Something went wrong/.test((await rig.texts()).at(-1)!))
  expect(rig.logged('error')[0]).toMatch(/step 1 is step "new", but the record has call "messages.create"/)
  await rig.says('ann', '/ask')
  await last(rig, 'Word?')
})
