import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunHead } from '../stored/run-store.ts'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { ask, code, differences, other, sources, step, values, work } from './not-deterministic.test.fixture.ts'
import { REPEAT_MS } from './replay.ts'
import { durable, Restarts, turns } from './restarts.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

// Handlers that act differently when they run again. Each is detected before it acts, and the run of another person continues.

let isFirst = true
beforeEach(() => {
  isFirst = true
  vi.spyOn(Math, 'random').mockImplementation(() => (isFirst ? 0.1 : 0.9))
  vi.spyOn(Date, 'now').mockImplementation(() => (isFirst ? 1 : 1001))
  vi.spyOn(performance, 'now').mockImplementation(() => (isFirst ? 1 : 1001))
  vi.spyOn(crypto, 'randomUUID').mockImplementation(
    () => (isFirst ? 'first' : 'second') as `${string}-${string}-${string}-${string}-${string}`,
  )
})
afterEach(() => {
  vi.restoreAllMocks()
  delete process.env['BOTWRIGHT_TEST_PHASE']
  for (const name of ['loads', 'runs', 'host']) delete (globalThis as Record<string, unknown>)[name]
})

const os = await import('node:os')
const nothing = { between: () => {}, during: () => {} }

/**
 * Runs the first code until it waits, and the second one in a new process, beside the run of bob. `between`: called before the second process
 * starts. `during`: called while its handlers run.
 */
async function restart(first: string, second = first, { between, during } = nothing) {
  const other = durable(
    "const n = await ctx.state.user.update('n', (n) => (n ?? 0) + 1); return 'bob: ' + (await ctx.ask('Other?', { timeout: '1h' })) + n",
  )
  const rig = new Restarts()
  const bob = { author_id: id(41), author: 'bob', channel_id: id(21) }
  const files = (go: string) => ({
    'commands/go.ts': go,
    'commands/other.ts': other,
    'tasks/job.ts': 'export default () => {}',
  })
  process.env['BOTWRIGHT_TEST_PHASE'] = 'first'
  ;(globalThis as Record<string, unknown>)['host'] = os.hostname()
  const before = await rig.start(files(first))
  await before.bot.handle(message({ command: 'go' }))
  await before.bot.handle(message({ command: 'other', ...bob }))
  expect(before.logged).toEqual([])
  isFirst = false
  process.env['BOTWRIGHT_TEST_PHASE'] = 'second'
  ;(globalThis as Record<string, unknown>)['host'] = 'another'
  between()
  const { bot, calls, logged } = await rig.start(files(second))
  const woken = rig.wakeAll(bot)
  await turns()
  during()
  await woken
  await turns()
  await bot.handle(message({ content: 'tea', ...bob, created_at: new Date(rig.clock.now()).toISOString() }))
  await turns()
  const heads = (await rig.store.list('run:head:')).map(({ value }) => value as RunHead)
  return { calls, logged, go: heads.find(({ file }) => file === 'commands/go.ts')!, heads }
}

async function expectDetected(
  first: string,
  second: string,
  [now, before]: readonly [string, string],
  hooks = nothing,
) {
  const { calls, logged, go, heads } = await restart(first, second, hooks)
  const [error, ...more] = logged
  expect(error).toMatch(/^commands\/go\.ts(?::\d+)?: (?:step \d+ is|the handler ends|the handler has waited) /)
  expect(error).toContain(`${now}, but the record has ${before}`)
  // The line of the recorded step.
  expect(error).toMatch(/ \(commands\/go\.ts:\d+\): the code changed|the result of an earlier step: the code changed/)
  expect(more).toEqual([])
  expect(go).toMatchObject({ status: 'failed', error: expect.stringContaining(now) as string })
  // Only the notice is sent, and bob's run ends as if nothing had happened.
  expect(calls.map(([name, { content }]) => [name, content])).toEqual([
    ['messages.create', expect.stringMatching(/^Something went wrong \(ref \w{4}\)/)],
    ['messages.create', 'bob: tea1'],
  ])
  expect(heads.find(({ file }) => file === 'commands/other.ts')).toMatchObject({ status: 'done' })
}

test.each(differences)('detects %s', inAll, async (title, first, second, now, before) => {
  const source = sources[differences.findIndex(([one]) => one === title) % sources.length]!
  const same = code(`if (${source}) { ${first} } else { ${second} } ${ask}`)
  await expectDetected(same, same, [now, before])
})

test.each(values)('detects %s', async (_, body, now, before) => {
  const same = code(`${body} ${ask}`)
  await expectDetected(same, same, [now, before])
})

// In edited code, the arguments may differ. A handler that ends early continues with the question here.
const edits = differences.filter(
  ([, first, , now, before]) =>
    !before.endsWith(other) && !now.startsWith('the handler ends') && !first.includes('race'),
)

test.each(edits)('detects %s in edited code', async (_, first, second, now, before) => {
  await expectDetected(code(`${first} ${ask}`), code(`${second} ${ask}`), [now, before])
})

const slow = "ctx.step('a', () => new Promise((done) => setImmediate(() => setImmediate(done))))"
test.each([
  [
    'an outcome of a race that ignores a step',
    `await Promise.race([${slow}, 0]); ${work('b')}`,
    `await ${slow}; ${work('b')}`,
    1,
  ],
  ['a promise that never settles', work('b'), 'await new Promise(() => {});', 0],
])('detects %s', async (_, first, second, steps) => {
  const same = code(`if (loads === 1) { ${first} } else { ${second} } ${ask}`)
  const hooks = {
    between: () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }),
    during: () => void vi.advanceTimersByTime(REPEAT_MS),
  }
  try {
    const now = `the handler has waited for ${REPEAT_MS / 1000} s after step ${steps}`
    await expectDetected(same, same, [now, step('b')], hooks)
  } finally {
    vi.useRealTimers()
  }
})

test('covers at least fifty handlers', () => {
  expect(differences.length + values.length).toBeGreaterThanOrEqual(50)
  expect(new Set(differences.map((one) => JSON.stringify(one.slice(1, 3)))).size).toBe(differences.length)
})

test('edited code may change the arguments of recorded steps', async () => {
  const body = (text: string) =>
    code(
      `await ctx.reply('${text}'); await ctx.step('a', () => '${text}'); await ctx.ask('${text}', { timeout: '1h' })`,
    )
  const { calls, logged, go } = await restart(body('former text'), body('new text'))
  expect(logged).toEqual([])
  expect(calls.map(([, { content }]) => content)).toEqual(['bob: tea1'])
  expect(go).toMatchObject({ status: 'waiting' })
})

test('the same handler without such differences continues', inAll, async () => {
  for (const [, first] of differences) {
    if (/Math|continueAs|race/.test(first)) continue
    const { calls, logged, go } = await restart(code(`${first} ${ask}`))
    expect({ first, logged }).toEqual({ first, logged: [] })
    expect({ first, texts: calls.map(([, { content }]) => content) }).toEqual({ first, texts: ['bob: tea1'] })
    expect({ first, status: go.status }).toEqual({ first, status: 'waiting' })
  }
})

test('ctx.schedule repeats its timer', async () => {
  const body = durable(`await ctx.schedule('job', { in: '1h' }); ${ask}`)
  const { logged, go } = await restart(body)
  expect(logged).toEqual([])
  expect(go).toMatchObject({ status: 'waiting' })
})
