import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { expect, test } from 'vitest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryStore } from './memory-store.ts'
import { runOnce } from './once.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const log = { warn: () => expect.unreachable() }

test('runs its work once for each event and key, and returns the first result again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  let runs = 0
  const work = () => ({ runs: ++runs })
  const run = (id: string, key: string) => runOnce({ store, clock, log }, { id, key }, work)
  expect(await run('1', 'pay')).toEqual({ runs: 1 })
  expect(await run('1', 'pay')).toEqual({ runs: 1 })
  expect(await run('1', 'mail')).toEqual({ runs: 2 })
  expect(await run('2', 'pay')).toEqual({ runs: 3 })
  await clock.advance(14 * 24 * 3_600_000)
  expect(await store.list('once:')).toEqual([])
})

test('the error of work is thrown although its record cannot be deleted, and so is that of a result that cannot be stored', async () => {
  const clock = new VirtualClock()
  const warnings: string[] = []
  const log = { warn: (_: object, text: string) => void warnings.push(text) }
  for (const [work, error] of [
    [() => Promise.reject(new Error('no money')), 'no money'],
    [() => 1n, 'it is a bigint'],
  ] as const) {
    const store = new MemoryStore(clock)
    const set = store.set.bind(store)
    const fails = () => Promise.reject(new Error('disk full'))
    store.delete = fails
    store.set = (key, value, options) =>
      (value as { state: string }).state === 'running' ? set(key, value, options) : fails()
    const run = () => runOnce({ store, clock, log }, { id: '1', key: 'pay' }, work as () => unknown)
    await expect(run()).rejects.toThrow(error)
    await expect(run()).rejects.toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
  }
  expect(warnings).toEqual(
    Array.from(
      { length: 2 },
      () => expect.stringContaining('once("pay"): its end could not be stored (disk full)') as string,
    ),
  )
})

test('work that throws runs again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const run = (work: () => unknown) => runOnce({ store, clock, log }, { id: '1', key: 'pay' }, work)
  await expect(run(() => Promise.reject(new Error('no money')))).rejects.toThrow('no money')
  expect(await run(() => 'paid')).toBe('paid')
})

test('work whose outcome is unknown runs again only with { unsure: again }', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const run = (work: () => unknown, unsure: 'throw' | 'again' = 'throw') =>
    runOnce({ store, clock, log }, { id: '1', key: 'post', unsure }, work)
  const lost = new BotwrightError('ERR_UNKNOWN_OUTCOME', 'messages.create: no complete response')
  await expect(run(() => Promise.reject(lost))).rejects.toThrow('messages.create: no complete response')
  await expect(run(() => expect.unreachable())).rejects.toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
  expect(await run(() => 'posted', 'again')).toBe('posted')
  expect(await run(() => expect.unreachable())).toBe('posted')
})

test('work whose write to the store has no response does not run again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const run = (work: () => unknown) => runOnce({ store, clock, log }, { id: '1', key: 'remind' }, work)
  const lost = new BotwrightError('ERR_STATE', 'Redis over HTTP: no response within 60 s')
  await expect(run(() => Promise.reject(lost))).rejects.toThrow('no response within 60 s')
  await expect(run(() => expect.unreachable())).rejects.toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
})

test('does not repeat work whose result cannot be stored', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  let runs = 0
  const run = () => runOnce({ store, clock, log }, { id: '1', key: 'pay' }, () => BigInt(++runs))
  await expect(run()).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
  await expect(run()).rejects.toThrow(
    'once("pay"): an earlier run did this work, but its result could not be stored (once("pay"): it is a bigint, which JSON cannot store; return plain data)',
  )
  expect(runs).toBe(1)
})

/** A handler whose process dies after its work, in the first run. */
const handler = (notes: string, where: 'after' | 'inside') => `
import { appendFileSync } from 'node:fs'
const die = (at, ctx) => {
  if (at !== '${where}' || ctx.redelivered) return
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}
export default async (ctx) => {
  const paid = await ctx.once('pay', () => {
    appendFileSync(${JSON.stringify(notes)}, 'paid\\n')
    die('inside', ctx)
    return { receipt: 7 }
  })
  die('after', ctx)
  return 'receipt ' + paid.receipt
}`

const program = `
import { systemClock } from '${new URL('../../../../clock/dist/index.js', import.meta.url).href}'
import { readConfig } from '${new URL('../../../dist/joined/index.js', import.meta.url).href}'
import { startBot } from '${new URL('../../../dist/joined/start.js', import.meta.url).href}'
const { source, baseUrl, token } = JSON.parse(process.env.BOT)
const log = { debug() {}, info() {}, warn() {}, error() {} }
await startBot({ source, baseUrl, token, log, clock: systemClock, config: await readConfig({ start: 'kept' }) })
process.send('ready')
`

test.each(['after', 'inside'] as const)(
  'does not repeat the effect after kill -9 %s the effect',
  slow,
  async (where) => {
    await using rig = await ChatRig.start()
    const notes = join(rig.root, 'notes.txt')
    const source = rig.source({ 'commands/pay.ts': handler(notes, where) })
    const file = join(rig.root, 'bot.mjs')
    writeFileSync(file, program)
    const child = spawn(process.execPath, [file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        BOT: JSON.stringify({ source, baseUrl: rig.service.base_url, token }),
      },
    })
    const exit = once(child, 'exit')
    await once(child, 'message')
    await rig.says('ann', '/pay')
    expect(await exit).toEqual([null, 'SIGKILL'])
    const bot = await rig.startBot({}, { source })
    await rig.until(() => bot.stats().finished === 1)
    expect(readFileSync(notes, 'utf8')).toBe('paid\n')
    const answer = (await rig.texts()).at(-1)
    if (where === 'after') expect(answer).toBe('receipt 7')
    else {
      expect(answer).toMatch(/^Something went wrong/)
      expect(rig.logged('error').join()).toMatch(/once\("pay"\): an earlier run of this event was interrupted here/)
    }
  },
)
