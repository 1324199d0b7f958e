import { expect, test } from 'vitest'
import type { Claims } from '../../../link/claims.ts'
import { addTimer } from '../stored-timers.ts'
import { HOUR, host, MINUTE } from './scheduler-host.test.fixture.ts'

// A write of the state of a recurring task fails: it was done all the same, or it was not.

/** Lets the next write of this state fail, after it is done or instead. */
function failing({ store }: ReturnType<typeof host>, state: string, isDone: boolean): void {
  const set = store.set.bind(store)
  store.set = async (key, value, options) => {
    if ((value as { state?: string }).state !== state) return set(key, value, options)
    store.set = set
    if (isDone) await set(key, value, options)
    throw new Error('no connection')
  }
}

test.each([true, false])('a run is not lost if its claim failed; stored all the same: %s', async (isDone) => {
  const m = host()
  await m.start([m.define('often', { everyMs: HOUR })])
  failing(m, 'running', isDone)
  await m.clock.advance(HOUR + MINUTE)
  expect(m.times()).toEqual(['2026-01-01T01:00:00.000Z'])
  await m.clock.advance(HOUR)
  expect(m.runs).toHaveLength(2)
})

test.each([true, false])('a run whose end was not stored at first has ended all the same; retry: %s', async (retry) => {
  const m = host()
  const scheduler = await m.start([m.define('often', { everyMs: HOUR, retry })])
  failing(m, 'done', false)
  await m.clock.advance(HOUR + MINUTE)
  await scheduler.stop(0)
  await m.start([m.define('often', { everyMs: HOUR, retry })])
  await m.clock.advance(MINUTE)
  expect(m.runs).toHaveLength(1)
  expect(m.lines.join('\n')).not.toMatch(/interrupted|not run/)
})

test('a failed run without retry whose end was not stored at first is not taken for an interrupted one', async () => {
  const m = host()
  await m.start([m.define('often', { everyMs: HOUR })], { fails: () => ({ reason: 'no tea' }) })
  failing(m, 'done', false)
  await m.clock.advance(HOUR + MINUTE)
  expect(m.runs).toHaveLength(1)
  expect(m.lines).toEqual(['tasks/often.ts: the result of its last run cannot be stored (no connection); trying again'])
})

test.each([true, false])(
  'a stop stores the end of a run that could not be stored before; timer: %s',
  async (isTimer) => {
    const m = host()
    const task = m.define('often', { retry: true, ...(!isTimer && { everyMs: HOUR }) })
    const scheduler = await m.start([task])
    if (isTimer) await addTimer(m, 'often', { in: '1h' }, undefined)
    const { store } = m
    const [set, remove] = [store.set.bind(store), store.delete.bind(store)]
    const refuse = () => Promise.reject(new Error('no connection'))
    store.set = (...given) => ((given[1] as { state: string }).state === 'done' ? refuse() : set(...given))
    store.delete = refuse
    await m.clock.advance(HOUR)
    await m.clock.advance(1000)
    expect(m.lines.join()).toContain('cannot be stored (no connection)')
    Object.assign(store, { set, delete: remove })
    await scheduler.stop(1000)
    await m.start([task])
    await m.clock.advance(MINUTE)
    expect(m.runs).toHaveLength(1)
  },
)

test.each([true, false])(
  'a run whose claim was stored, but failed twice, is not lost at a stop; timer: %s',
  async (isTimer) => {
    const m = host()
    const task = m.define('often', isTimer ? {} : { everyMs: HOUR })
    const scheduler = await m.start([task])
    if (isTimer) await addTimer(m, 'often', { in: '1h' }, undefined)
    failing(m, 'running', true)
    await m.clock.advance(HOUR)
    failing(m, 'running', false)
    await m.clock.advance(MINUTE / 2)
    expect(m.runs).toHaveLength(0)
    await scheduler.stop(0)
    await m.start([task])
    await m.clock.advance(MINUTE)
    expect(m.runs).toHaveLength(1)
    expect(m.lines.join()).not.toContain('interrupted')
  },
)

/** The claims of one of two instances that live. */
function ownClaims(id = 'one'): Claims {
  const begun = new Set<string>()
  return {
    id,
    isActive: async (machine, key) => machine !== undefined && (machine !== id || key === undefined || begun.has(key)),
    begin: (key) => void begun.add(key),
    end: (key) => void begun.delete(key),
  }
}

test.each([true, false])(
  'a leader that leads again waits for the end of a run of its former term, which is not stored yet; timer: %s',
  async (isTimer) => {
    const m = host()
    const claims = ownClaims()
    const task = m.define('often', { retry: true, ...(!isTimer && { everyMs: HOUR }) })
    const scheduler = await m.start([task], { claims })
    if (isTimer) await addTimer(m, 'often', { in: '1h' }, undefined)
    const { store } = m
    const [set, remove] = [store.set.bind(store), store.delete.bind(store)]
    const refuse = () => Promise.reject(new Error('no connection'))
    store.set = (...given) => ((given[1] as { state: string }).state === 'done' ? refuse() : set(...given))
    store.delete = refuse
    await m.clock.advance(HOUR)
    expect(m.runs).toHaveLength(1)
    void scheduler.stop(0, new AbortController().signal)
    await m.start([task], { claims })
    await m.clock.advance(10_000)
    Object.assign(store, { set, delete: remove })
    await m.clock.advance(MINUTE)
    expect(m.runs).toHaveLength(1)
    expect(m.lines.join('\n')).not.toMatch(/interrupted|not run/)
    await m.clock.advance(HOUR)
    expect(m.runs).toHaveLength(isTimer ? 1 : 2)
  },
)

/** Refuses all writes of this state until the returned function is called. */
function refusing({ store }: ReturnType<typeof host>, state: string): () => void {
  const set = store.set.bind(store)
  store.set = async (...given) => {
    if ((given[1] as { state?: string }).state === state) throw new Error('Redis is full')
    return set(...given)
  }
  return () => void (store.set = set)
}

/** The claims of two instances, the first of which is gone once `lose` is called. */
function losableClaims() {
  let isLost = false
  const one = ownClaims('one')
  const two = ownClaims('two')
  const isActive: Claims['isActive'] = async (...given) => !(isLost && given[0] === 'one') && two.isActive(...given)
  return { one, two: { ...two, isActive }, lose: () => void (isLost = true) }
}

test('the failure of a scheduled run that could not be stored is forgotten once another leader has run it', async () => {
  const m = host()
  const { one, two, lose } = losableClaims()
  const task = m.define('often', { retry: true })
  const first = await m.start([task], { claims: one, fails: () => ({ reason: 'no tea' }) })
  await addTimer(m, 'often', { in: '1h' }, undefined)
  const accept = refusing(m, 'waiting')
  await m.clock.advance(HOUR)
  expect(m.runs).toHaveLength(1)
  void first.stop(0, new AbortController().signal)
  await m.clock.advance(1000)
  accept()
  lose()
  await m.start([task], { claims: two })
  await m.clock.advance(1000)
  expect(m.runs).toHaveLength(2)
  await m.clock.advance(HOUR)
  expect(m.runs).toHaveLength(2)
})

test('the end of a run that could not be stored undoes none of the later runs of another leader', async () => {
  const m = host()
  const { one, two, lose } = losableClaims()
  const task = m.define('often', { everyMs: 10_000, missed: 'all' })
  const first = await m.start([task], { claims: one })
  const accept = refusing(m, 'done')
  await m.clock.advance(10_000)
  void first.stop(0, new AbortController().signal)
  await m.clock.advance(1000)
  accept()
  lose()
  await m.start([task], { claims: two })
  await m.clock.advance(MINUTE)
  expect(m.times().toSorted()).toEqual([...new Set(m.times())].toSorted())
  expect(m.runs).toHaveLength(7)
})

test.each([true, false])(
  'a claim that failed, but was stored, does not keep the next leader from the run; timer: %s',
  async (isTimer) => {
    const m = host()
    const task = m.define('often', isTimer ? {} : { everyMs: HOUR })
    const scheduler = await m.start([task], { claims: ownClaims('one') })
    if (isTimer) await addTimer(m, 'often', { in: '1h' }, undefined)
    failing(m, 'running', true)
    await m.clock.advance(HOUR)
    expect(m.runs).toHaveLength(0)
    void scheduler.stop(0, new AbortController().signal)
    await m.start([task], { claims: ownClaims('two') })
    await m.clock.advance(MINUTE)
    expect(m.runs).toHaveLength(1)
  },
)
