import { eventKey } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { choice } from '../../../author/buttons/face.ts'
import type { StateStore } from '../../../author/ports.ts'
import { rowsOf as rowsOfRun, RunStore } from '../stored/run-store.ts'
import { click, deliver, id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// The process dies, or the disk fails, while the end of a run is being stored.

const files = { 'commands/go.ts': durable("return 'got ' + (await ctx.ask('Name?', { timeout: '1h' }))") }
const short = { 'commands/go.ts': durable("return 'hello'") }
const answer = (rig: Restarts) =>
  message({ id: id(11), content: 'Ann', created_at: new Date(rig.clock.now()).toISOString() })

/** The rows of runs, but for their heads and what expires. */
async function rowsOf({ store }: Restarts): Promise<string[]> {
  return (await store.list('run:')).flatMap(({ key, expiresAtMs }) => (expiresAtMs === undefined ? [key] : []))
}

/** Lets the process die before its nth write after the head of the ended run, or the disk fail there until `mend`. */
function endingStore({ store }: Restarts, at: number, how: 'dies' | 'fails') {
  const { set, delete: remove, list } = store
  let left = Infinity
  const state = { isHit: false, mend: () => {} }
  const met = <T>(work: () => Promise<T>): Promise<T> => {
    if (left-- > 0) return work()
    state.isHit = true
    return how === 'dies' ? new Promise(() => {}) : Promise.reject(new Error('disk full'))
  }
  store.set = async (...given) => {
    const done = await met(() => set.apply(store, given))
    if (given[0].startsWith('run:head:') && (given[1] as { status: string }).status !== 'waiting') left = at
    return done
  }
  store.delete = (...given) => met(() => remove.apply(store, given))
  store.list = (...given) => (how === 'dies' && left < 0 ? new Promise(() => {}) : list.apply(store, given))
  state.mend = () => Object.assign(store, { set, delete: remove, list })
  return state
}

test.each([0, 1, 2])(
  'a crash at the end of a run, before write %d, leaves nothing, and its outcome is reported',
  async (at) => {
    const rig = new Restarts()
    const { bot, outcomes } = await rig.start(files)
    await bot.handle(message({ command: 'go' }))
    const crash = endingStore(rig, at, 'dies')
    void bot.handle(answer(rig))
    await turns()
    expect(crash.isHit).toBe(true)
    crash.mend()
    expect((await rig.head()).status).toBe('done')
    const after = await rig.start(files)
    await rig.clock.advance(3_600_000)
    await rig.wake(after.bot)
    expect([...outcomes, ...after.outcomes].map(({ result, file }) => [result, file])).toContainEqual([
      'ok',
      'commands/go.ts',
    ])
    expect(await rowsOf(rig)).toEqual([])
    expect(texts(after.calls)).toEqual([])
  },
)

test('a crash at the end of a run that never waited leaves nothing, and its outcome is reported', async () => {
  const rig = new Restarts()
  const { bot, outcomes } = await rig.start(short)
  const begun = message({ command: 'go' })
  const crash = endingStore(rig, 0, 'dies')
  void bot.handle(begun)
  await turns()
  expect(crash.isHit).toBe(true)
  crash.mend()
  const after = await rig.start(short)
  await after.bot.handle(begun)
  expect([...outcomes, ...after.outcomes]).toContainEqual(
    expect.objectContaining({ result: 'ok', file: 'commands/go.ts' }),
  )
  expect(await rowsOf(rig)).toEqual([])
})

test('rows of an ended run that cannot be deleted are deleted later, and its event does not count as handled before', async () => {
  const rig = new Restarts()
  const { bot, outcomes } = await rig.start(short)
  const disk = endingStore(rig, 0, 'fails')
  const handled = Promise.resolve(bot.handle(message({ command: 'go' })))
  let isHandled = false
  void handled.then(() => (isHandled = true))
  await turns()
  expect([disk.isHit, isHandled]).toEqual([true, false])
  disk.mend()
  await rig.clock.advance(30_000)
  await handled
  expect(await rowsOf(rig)).toEqual([])
  expect(outcomes).toHaveLength(1)
})

test('the end of a run leaves the rows of another run whose id begins with its own', async () => {
  const rig = new Restarts()
  const asking = durable("await ctx.ask('Name?', { timeout: '1h' })")
    .replace('command({', "event('message', {")
    .replace('{ command }', '{ event }')
    .replace("description: 'x', ", '')
  const { bot } = await rig.start({ 'events/message.ts': asking, ...short })
  const waiting = deliver('message', { ...message({}).event.data, content: 'hello' })
  await bot.handle(waiting)
  const before = await rowsOf(rig)
  expect(before).not.toEqual([])
  await bot.handle(message({ command: 'go', author_id: id(41) }))
  expect(await rowsOf(rig)).toEqual(before)
})

test('the rows of a run whose event does not come again are deleted, and not those of runs that wait', async () => {
  const rig = new Restarts()
  const { bot } = await rig.start(files)
  await bot.handle(message({ command: 'go', author_id: id(41) }))
  const before = await rowsOf(rig)
  const call = (() => new Promise(() => {})) as never
  const dying = await rig.start(files, { call })
  const lost = message({ command: 'go' })
  void dying.bot.handle(lost)
  await turns()
  expect((await rowsOf(rig)).length).toBe(before.length + 2)
  const runs = new RunStore(rig.store)
  for (const { id: waiting } of await runs.heads({ limit: 10 })) await runs.deleteLost(Number(waiting))
  await runs.deleteLost(eventKey(lost.event))
  expect(await rowsOf(rig)).toEqual(before)
})

test('the rows of a run that had ended before its process died are deleted when its event does not come again', async () => {
  const rig = new Restarts()
  const { bot } = await rig.start(files)
  await bot.handle(message({ command: 'go', author_id: id(41) }))
  const runs = new RunStore(rig.store)
  const [head] = await runs.heads({ limit: 1 })
  await runs.save({ ...head!, status: 'done', waits: [] }, rowsOfRun(head!), [])
  await runs.deleteLost(Number(head!.id))
  expect((await rowsOf(rig)).filter((key) => /^run:(key|log):/.test(key))).toEqual([])
})

test('a crash while the rows of a former question are deleted leaves none of them', async () => {
  const rig = new Restarts()
  const code = "await ctx.choose('Which?', ['a', 'b'], { timeout: '1h' }); await ctx.sleep('1h'); return 'done'"
  const posted: unknown[] = []
  const call = (async (name: string, { content, channel_id }: Record<string, unknown>) => {
    if (name === 'messages.create') posted.push(content)
    return { id: id(60), channel_id, content, created_at: new Date(rig.clock.now()).toISOString() }
  }) as unknown as Call
  const slow = { 'commands/go.ts': durable(code) }
  // The process dies at the first row that it deletes.
  let isDead = false
  const { store } = rig
  const alive = <T>(work: () => Promise<T>): Promise<T> => (isDead ? new Promise(() => {}) : work())
  const dying: StateStore = {
    get: (key) => alive(() => store.get(key)),
    set: (...given) => alive(() => store.set(...given)),
    list: (...given) => alive(() => store.list(...given)),
    delete: (key) =>
      key.startsWith('run:key:click') ? new Promise(() => (isDead = true)) : alive(() => store.delete(key)),
  }
  const { bot } = await rig.start(slow, { call, store: dying })
  await bot.handle(message({ command: 'go' }))
  void bot.handle(click(choice('1', { label: 'b' }).custom_id!))
  await turns()
  expect(isDead).toBe(true)
  const after = await rig.start(slow, { call })
  await rig.clock.advance(3_600_000)
  await rig.wake(after.bot)
  await turns()
  expect(posted).toEqual(['Which?', 'done'])
  expect(await rowsOf(rig)).toEqual([])
})

test('the list of runs shows that a run ended because no answer came', async () => {
  const rig = new Restarts()
  const { bot } = await rig.start(files)
  await bot.handle(message({ command: 'go' }))
  await rig.clock.advance(3_600_000)
  await rig.wake(bot)
  expect(await rig.head()).toMatchObject({ status: 'done', note: 'no answer came in time' })
})
