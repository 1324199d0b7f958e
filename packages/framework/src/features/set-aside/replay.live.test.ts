import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { captureIo } from '../../program/program-io.ts'
import { replayCommand, WAIT_MS } from './commands/replay-command.ts'
import { CHECK_MS } from './replay-requests.ts'

/** A handler that exits its thread until it is fixed. */
const files = (fixed: boolean) => ({
  'commands/crash.ts': `export default (ctx) => { ${fixed ? '' : 'process.exit(3);'} return 'ran ' + ctx.typed }`,
})
const texts = async (rig: ChatRig) => (await rig.texts()).filter((text) => text.startsWith('ran'))

/** Runs `framework replay` and returns its output. */
async function replay(
  rig: ChatRig,
  options: { ids?: number[]; all?: boolean; json?: boolean; waitMs?: number } = {},
): Promise<string> {
  const io = captureIo({ cwd: rig.root, env: {} })
  const code = await replayCommand({
    ids: [],
    all: false,
    json: false,
    stateDir: '.botwright',
    waitMs: 60_000,
    io,
    ...options,
  })
  expect(code).toBe(0)
  return io.stdout.text.trimEnd()
}
interface Listed {
  set_aside: { id: number; type: string; reason: string }[]
}
const idsOf = async (rig: ChatRig) =>
  (JSON.parse(await replay(rig, { json: true })) as Listed).set_aside.map((e) => e.id)

test('sets aside an event that crashes its worker 3 times, lists it, and replays it in the fixed bot', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files(false), { keepSpare: true })
  expect(await replay(rig)).toBe('no event is set aside')
  await rig.says('ann', '/crash once')
  await rig.until(() => rig.logged('error').some((line) => line.includes('is set aside after 3 attempts')))
  const [id] = await idsOf(rig)
  expect(rig.logged('error').at(-1)).toContain(`framework replay ${id} runs it again`)
  expect(await replay(rig)).toMatch(
    new RegExp(`^${id}  message  \\d+ s ago: its handler crashed its worker 3 times\n\nTo run them again`),
  )
  await bot.replace(rig.source(files(true)))
  await expect(replay(rig, { ids: [id!, 999_999] })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: `999999: not set aside; these events are: ${id}`,
  })
  expect(await replay(rig, { ids: [id!] })).toBe(`the running bot reruns: ${id}`)
  await rig.until(async () => (await texts(rig)).length > 0)
  expect(await texts(rig)).toEqual(['ran once'])
  expect(await idsOf(rig)).toEqual([])
})

test(
  'runs an event replayed while the bot was stopped at the next start, regardless of catchUp',
  { tags: ['all/real-time'] },
  async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(files(false), { keepSpare: true })
    await rig.says('ann', '/crash late')
    await rig.until(async () => (await idsOf(rig)).length === 1)
    await bot.stop()
    const [id] = await idsOf(rig)
    expect(JSON.parse(await replay(rig, { all: true, json: true, waitMs: 0 }))).toEqual({ replayed: [], waiting: [id] })
    await rig.startBot(files(true), { config: { catchUp: { default: 0 } } })
    await rig.until(async () => (await texts(rig)).length > 0)
    expect(await texts(rig)).toEqual(['ran late'])
  },
)

test('a replay days later repeats neither the work of ctx.once nor the files that had ended', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const code = (run: string) => `import { appendFileSync } from 'node:fs'
    const note = (text) => appendFileSync('${rig.root}/notes.txt', text + '\\n')
    export default async (ctx) => { ${run} }`
  const counting = (fixed: boolean) => ({
    'events/message/count.ts': code("note('counted')"),
    'events/message/pay.ts': code(
      `await ctx.once('pay', () => note('paid')); ${fixed ? "note('thanked')" : 'process.exit(3)'}`,
    ),
  })
  const bot = await rig.startBot(counting(false), { clock, keepSpare: true })
  await rig.says('ann', 'hello')
  await rig.until(async () => (await idsOf(rig)).length === 1)
  clock.advance(5 * 24 * 3_600_000)
  await bot.replace(rig.source(counting(true)))
  await replay(rig, { all: true })
  await rig.until(() => rig.read('notes.txt').includes('thanked'))
  expect(rig.read('notes.txt').toSorted()).toEqual(['counted', 'paid', 'thanked'])
})

test('framework replay waits long enough for a running bot to look twice', () => {
  expect(WAIT_MS).toBeGreaterThanOrEqual(2 * CHECK_MS)
})

test('names a folder without a journal and the option to fix it', async () => {
  const io = captureIo({ cwd: '/', env: {} })
  await expect(replayCommand({ ids: [], all: true, json: false, stateDir: 'nowhere', io })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringMatching(/^.nowhere.journal\.db: there is no journal; .*--state$/),
  })
})

test('points to framework cluster replay if the bot runs as a cluster', async () => {
  const io = captureIo({ cwd: '/', env: { BOT_CLUSTER_URL: 'redis://127.0.0.1:1' } })
  await expect(replayCommand({ ids: [], all: false, json: false, stateDir: 'nowhere', io })).rejects.toThrow(
    /there is no journal; this bot runs as a cluster: .*framework cluster replay/,
  )
})
