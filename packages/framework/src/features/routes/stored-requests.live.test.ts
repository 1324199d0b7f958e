import { systemClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import type { KnownRoute } from './route-table.ts'
import { RequestRunner } from './request-runner.ts'
import { runAgain, setAsideRequests } from './set-aside-requests.ts'
import { asidePrefix, isStoredRequest, rowPrefix, type StoredRequest } from './stored-requests.ts'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const request = { method: 'POST', path: '/x', params: {}, query: '', headers: {}, body: Buffer.from('{}') }

test('requests that another instance runs no longer count as waiting', async () => {
  const store = new MemoryStore(systemClock)
  const host = { store, log, clock: systemClock } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => undefined })
  for (let n = 0; n < 3; n++)
    await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request)
  expect(runner.requests.open).toBe(3)
  for (const { key } of await store.list(rowPrefix)) await store.delete(key)
  runner.rows.look()
  await expect.poll(() => runner.requests.open).toBe(0)
  await runner.rows.stop()
})

test('a damaged request is none, and hides no other one', async () => {
  const store = new MemoryStore(systemClock)
  const whole = { route: 'POST /x', queue: 'POST /x ', atMs: 1, state: 'waiting', request: { path: '/x' } }
  expect(isStoredRequest(whole)).toBe(true)
  for (const damaged of [
    { ...whole, request: null },
    { ...whole, request: {} },
  ]) {
    expect(isStoredRequest(damaged)).toBe(false)
    await store.set(`${asidePrefix}1`, damaged)
    await store.set(`${asidePrefix}2`, whole)
    expect(await setAsideRequests(store)).toMatchObject([{ id: '2' }])
  }
})

test('a request whose claim failed, but was stored, is not taken for an interrupted one after a stop', async () => {
  const store = new MemoryStore(systemClock)
  const runs: number[] = []
  const lines: string[] = []
  const note = (_: object, text: string) => void lines.push(text)
  const dispatch = async ({ attempt }: { attempt: number }) => void runs.push(attempt)
  const start = () => {
    const host = { store, dispatch, log: { ...log, warn: note }, clock: systemClock } as unknown as WorkHost
    const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
    return new RequestRunner({ ...host, route: () => known })
  }
  const set = store.set.bind(store)
  let claimed = false
  store.set = async (...given) => {
    const done = await set(...given)
    if ((given[1] as { state?: string }).state !== 'running' || claimed) return done
    claimed = true
    throw new Error('no connection')
  }
  const first = start()
  await first.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request)
  first.rows.look()
  await expect.poll(() => claimed).toBe(true)
  await first.rows.stop()
  const second = start()
  second.rows.look()
  await expect.poll(() => runs).toEqual([1])
  await second.rows.stop()
  expect(lines).toEqual([])
})

test('a request that has run is not set aside if its process ended before it was removed, even in its last attempt', async () => {
  const store = new MemoryStore(systemClock)
  const dispatch = async () => {}
  const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
  const host = { store, dispatch, log, clock: systemClock } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => known })
  const add = () =>
    runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request, 'order 1')
  await add()
  const [row] = await store.list(rowPrefix)
  const { key, value } = row!
  const stored = value as StoredRequest
  await runner.requests.end(key, stored)
  await store.set(key, { ...stored, state: 'running', failures: 3 } satisfies StoredRequest)
  runner.rows.look()
  await expect.poll(() => store.list(rowPrefix)).toEqual([])
  expect(await setAsideRequests(store)).toEqual([])
  // Its sender may repeat it.
  await add()
  expect(await store.list(rowPrefix)).toEqual([])
  await runner.rows.stop()
})

test('a request that another instance has run since a claim failed here runs again as an interrupted one', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const runs: number[] = []
  const dispatch = async ({ attempt }: { attempt: number }) => void runs.push(attempt)
  const claims = { id: 'a', isActive: async () => false, begin: () => {}, end: () => {} }
  const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
  const host = { store, dispatch, log, clock, claims } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => known })
  await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: clock.now() }, request)
  const set = store.set.bind(store)
  store.set = () => Promise.reject(new Error('no connection'))
  runner.rows.look()
  await clock.advance(1000)
  store.set = set
  const [row] = await store.list(rowPrefix)
  await store.set(row!.key, {
    ...(row!.value as StoredRequest),
    state: 'running',
    machine: 'b',
  } satisfies StoredRequest)
  await clock.advance(60_000)
  await runner.rows.stop()
  expect(runs).toEqual([2])
})

test('an interrupted request is marked, also if its first claim fails', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const runs: number[] = []
  const dispatch = async ({ attempt }: { attempt: number }) => void runs.push(attempt)
  const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
  const host = { store, dispatch, log, clock } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => known })
  await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: clock.now() }, request)
  const [row] = await store.list(rowPrefix)
  await store.set(row!.key, { ...(row!.value as StoredRequest), state: 'running' } satisfies StoredRequest)
  const set = store.set.bind(store)
  store.set = () => Promise.reject(new Error('the disk is full'))
  runner.rows.look()
  await clock.advance(1000)
  store.set = set
  await clock.advance(60_000)
  await runner.rows.stop()
  expect(runs).toEqual([2])
})

test('the failure of a request that could not be stored is forgotten once another instance has run it', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const runs: string[] = []
  const start = (id: string, reason?: string) => {
    const dispatch = async (_: object, ended: (end: object) => void) => {
      runs.push(id)
      if (reason !== undefined) ended({ reason })
    }
    const claims = { id, isActive: async (machine?: string) => id === 'a' && machine === 'a', begin() {}, end() {} }
    const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
    const host = { store, dispatch, log, clock, claims } as unknown as WorkHost
    return new RequestRunner({ ...host, route: () => known })
  }
  const first = start('a', 'no tea')
  await first.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: clock.now() }, request)
  const set = store.set.bind(store)
  let refused = 0
  store.set = async (...given) => {
    if ((given[1] as { state?: string }).state !== 'waiting') return set(...given)
    refused++
    throw new Error('Redis is full')
  }
  first.rows.look()
  await clock.advance(1000)
  expect([runs, refused]).toEqual([['a'], 1])
  store.set = set
  // The lease of the first instance has ended.
  const second = start('b')
  second.rows.look()
  await clock.advance(1000)
  expect(await store.list(rowPrefix)).toEqual([])
  await clock.advance(60 * 60_000)
  expect(runs).toEqual(['a', 'b'])
  expect([await store.list(rowPrefix), await setAsideRequests(store)]).toEqual([[], []])
  await Promise.all([first.rows.stop(), second.rows.stop()])
})

/** A runner of one route, and the attempts of its runs. */
function runnerOf(store: MemoryStore) {
  const runs: number[] = []
  const dispatch = async ({ attempt }: { attempt: number }) => void runs.push(attempt)
  const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: false } as KnownRoute
  const host = { store, dispatch, log, clock: systemClock } as unknown as WorkHost
  return { runs, runner: new RequestRunner({ ...host, route: () => known }) }
}

const stored: StoredRequest = {
  ...{ route: 'POST /x', queue: 'POST /x ', atMs: 1, state: 'running', failures: 1 },
  request: { method: 'POST', path: '/x', params: {}, query: '', headers: {}, text: '{}' },
}

test('a request that runs again leaves the list of those that were set aside, even if the command died before that', async () => {
  const store = new MemoryStore(systemClock)
  const remove = store.delete.bind(store)
  await store.set(`${asidePrefix}1`, { ...stored, reason: 'no' })
  store.delete = () => Promise.reject(new Error('killed'))
  await expect(runAgain(store, '1')).rejects.toThrow('killed')
  store.delete = remove
  const { runner, runs } = runnerOf(store)
  runner.rows.look()
  await expect.poll(() => runs).toEqual([1])
  await runner.rows.stop()
  expect(await setAsideRequests(store)).toEqual([])
  expect(await runAgain(store, '1')).toBe(false)
})

test('a request is not lost if it is to run again while it is still being set aside', async () => {
  const store = new MemoryStore(systemClock)
  const { runner } = runnerOf(store)
  await store.set(`${rowPrefix}1`, stored)
  const remove = store.delete.bind(store)
  const answers: boolean[] = []
  store.delete = async (...given) => {
    store.delete = remove
    answers.push(await runAgain(store, '1'))
    return remove(...given)
  }
  await runner.requests.setAside(`${rowPrefix}1`, stored, { reason: 'no', keptMs: 60_000 })
  answers.push(await runAgain(store, '1'))
  // It is set aside no longer.
  expect(answers).toEqual([true, false])
  expect((await store.list(rowPrefix)).map(({ value }) => value)).toMatchObject([{ state: 'waiting', again: true }])
})

test('a request does not run again if its process died while it set it aside', async () => {
  const store = new MemoryStore(systemClock)
  await store.set('route:id:order 1', { row: `${rowPrefix}1` })
  await store.set(`${rowPrefix}1`, { ...stored, failures: 0, id: 'route:id:order 1' })
  await store.set(`${asidePrefix}1`, { ...stored, reason: 'no' })
  const { runner, runs } = runnerOf(store)
  runner.rows.look()
  await expect.poll(async () => (await store.list(rowPrefix)).length).toBe(0)
  await runner.rows.stop()
  expect(runs).toEqual([])
  expect((await setAsideRequests(store)).map(({ id }) => id)).toEqual(['1'])
  // Its sender may repeat it.
  expect(await store.get('route:id:order 1')).toBeUndefined()
})

test('a request can run again although its process died while it set it aside', async () => {
  const store = new MemoryStore(systemClock)
  await store.set(`${rowPrefix}1`, stored)
  await store.set(`${asidePrefix}1`, { ...stored, reason: 'no' })
  expect(await runAgain(store, '1')).toBe(true)
  expect(await setAsideRequests(store)).toEqual([])
  const { runner, runs } = runnerOf(store)
  runner.rows.look()
  await expect.poll(async () => (await store.list(rowPrefix)).length).toBe(0)
  await runner.rows.stop()
  expect(runs).toEqual([1])
})

test('a request that runs again on another instance is kept by the one that has just set it aside', async () => {
  const store = new MemoryStore(systemClock)
  const { runner } = runnerOf(store)
  const own = { ...stored, machine: 'one', id: 'route:id:x' }
  await store.set(`${rowPrefix}1`, own)
  const remove = store.delete.bind(store)
  store.delete = async (key, ...given) => {
    if (key === own.id) {
      await runAgain(store, '1')
      await store.set(`${rowPrefix}1`, { ...own, machine: 'two' })
    }
    return remove(key, ...given)
  }
  await runner.requests.setAside(`${rowPrefix}1`, own, { reason: 'no', keptMs: 60_000 })
  expect((await store.list(rowPrefix)).map(({ value }) => value)).toMatchObject([{ machine: 'two' }])
})

test('a request that waits for its next attempt runs at once if the clock was set back since', async () => {
  const store = new MemoryStore(systemClock)
  const againMs = systemClock.now() + 24 * 60 * 60_000
  await store.set(`${rowPrefix}1`, { ...stored, state: 'waiting', againMs })
  const { runner, runs } = runnerOf(store)
  runner.rows.look()
  await expect.poll(() => runs).toEqual([2])
  await runner.rows.stop()
})

test('a request comes after those of a process whose clock was ahead', async () => {
  const store = new MemoryStore(systemClock)
  const aheadMs = systemClock.now() + 24 * 60 * 60_000
  const former = `${rowPrefix}${String(aheadMs).padStart(15, '0')}-000000007-x`
  await store.set(former, { ...stored, state: 'waiting', againMs: systemClock.now() + 60_000 })
  const { runner } = runnerOf(store)
  runner.rows.look()
  await runner.rows.idle()
  await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request)
  await runner.rows.stop()
  expect((await store.list(rowPrefix)).map(({ key }) => key)[0]).toBe(former)
})

test('a request comes after more waiting ones than a look reads, of a process whose clock was ahead', async () => {
  const store = new MemoryStore(systemClock)
  const aheadMs = systemClock.now() + 24 * 60 * 60_000
  const keyOf = (n: number) => `${rowPrefix}${String(aheadMs + n).padStart(15, '0')}-000000001-x`
  for (let n = 0; n < 120; n++) await store.set(keyOf(n), { ...stored, state: 'waiting', queue: `POST /x ${n}` })
  const known = { name: 'POST /x', file: 'routes/x.post.ts', retry: true } as KnownRoute
  let running = 0
  const dispatch = () => (running++, new Promise<void>(() => {}))
  const host = { store, dispatch, log, clock: systemClock } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => known })
  runner.rows.look()
  await expect.poll(() => running).toBe(50)
  const add = (name: string) =>
    runner.requests.add({ route: 'POST /x', queue: 'POST /x 119', atMs: systemClock.now() }, { ...request, path: name })
  await Promise.all([add('/one'), add('/two')])
  const last = (await store.list(rowPrefix))
    .slice(-3)
    .map(({ key, value }) => [key, (value as StoredRequest).request.path])
  expect(last).toEqual([
    [keyOf(119), '/x'],
    [expect.anything(), '/one'],
    [expect.anything(), '/two'],
  ])
  void runner.rows.stop()
})
