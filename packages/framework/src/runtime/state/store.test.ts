import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AdvanceableClock, type Clock, VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import type { Log, StateStore } from '../../author/ports.ts'
import { linkedServices } from '../../bot/linked-services.ts'
import { linkPair } from '../../link/link-pair.test.fixture.ts'
import type { RuntimePort } from '../../link/messages.ts'
import { createStorage } from 'unstorage'
import { keyValueStore } from '../../features/key-value-stores/key-value-store.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { storeSuite } from './store-suite.test.fixture.ts'
import { SqliteStore } from '../../features/stored-state/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'botwright-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** The methods of a clock, for one that shows another time. */
const clockOf = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (...given) => clock.after(...given),
})

const logged: string[] = []
const log: Log = { debug() {}, info() {}, warn() {}, error: (_facts, message) => void logged.push(message) }
const sqlite = (clock: Clock, file = join(folder, `sub ${++files}`, 'state.db'), botId = 'bot') =>
  new SqliteStore({ file, botId, clock, log })

/** Accesses a store like a worker does: each request is cloned, as by `postMessage`. */
function throughWorker(store: StateStore): StateStore {
  const linked = linkPair<object, Pick<RuntimePort, 'store'>>({}, { store })
  afterAll(() => linked[Symbol.dispose]())
  return linkedServices(linked.a as never).store
}

const stores: Record<string, (clock: VirtualClock) => StateStore> = {
  'the store in memory': (clock) => new MemoryStore(clock),
  'the store in SQLite': (clock) => sqlite(clock),
  'a key-value storage': (clock) => keyValueStore(createStorage(), clock),
  'the store in SQLite, from a worker': (clock) => throughWorker(sqlite(clock)),
}

for (const [name, make] of Object.entries(stores)) storeSuite(name, make)

describe('the file of the SQLite store', () => {
  const clock = new VirtualClock()

  test('is created at the first use, and keeps its values after a restart', async () => {
    const file = join(folder, 'own', 'state.db')
    const first = sqlite(clock, file)
    expect(readdirSync(folder)).not.toContain('own')
    await first.set('k', { a: 1 })
    const { version } = (await first.get('k'))!
    first.close()
    await expect(first.get('k')).rejects.toMatchObject({ code: 'ERR_STATE' })
    const second = sqlite(clock, file)
    expect(await second.get('k')).toEqual({ value: { a: 1 }, version })
    second.close()
  })

  test('writes of one turn share a commit, in their order; one that fails does not affect the others', async () => {
    const file = join(folder, 'grouped', 'state.db')
    const store = new SqliteStore({ file, botId: 'bot', clock, log, maxPages: 40 })
    await store.set('a', 0)
    using other = openDatabase(file)
    const count = () => Number(other.prepare('SELECT count(*) AS n FROM value').get()!['n'])
    const grouped = [store.set('b', 1), store.set('b', 2, { expected: 0 }), store.set('c', 3), store.delete('a')]
    expect(count()).toBe(1)
    await grouped[0]
    expect(count()).toBe(2)
    expect(await Promise.all(grouped)).toEqual([true, false, true, true])
    const pending = store.set('d', 4)
    expect((await store.get('d'))?.value).toBe(4)
    expect(await pending).toBe(true)
    const results = await Promise.allSettled([
      store.set('e', 5),
      store.set('f', 'x'.repeat(500_000)),
      store.set('g', 6),
    ])
    expect(results).toMatchObject([
      { value: true },
      { status: 'rejected', reason: { code: 'ERR_STATE', message: expect.stringContaining('the disk is full') } },
      { value: true },
    ])
    const last = store.set('h', 7)
    store.close()
    expect(await last).toBe(true)
    expect(other.prepare('SELECT key FROM value ORDER BY key').all()).toEqual(
      ['b', 'c', 'd', 'e', 'g', 'h'].map((key) => ({ key })),
    )
    await expect(store.set('i', 8)).rejects.toMatchObject({ code: 'ERR_STATE' })
  })

  test('separates the values of several bots', async () => {
    const file = join(folder, 'two', 'state.db')
    const [one, two] = [sqlite(clock, file, 'one'), sqlite(clock, file, 'two')]
    await one.set('k', 1)
    expect(await two.get('k')).toBeUndefined()
    expect(await two.set('k', 2, { expected: 0 })).toBe(true)
    expect(await one.list('')).toMatchObject([{ key: 'k', value: 1 }])
    one.close()
    two.close()
  })

  test('is moved aside and logged if it is not a database; the call that finds this fails', async () => {
    const home = join(folder, 'broken')
    const file = join(home, 'state.db')
    mkdirSync(home)
    writeFileSync(file, 'no database '.repeat(500))
    const store = sqlite(clock, file)
    logged.length = 0
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringMatching(/it is damaged .*; it was moved to .*state\.db\.broken-2026.*, and a new/),
    })
    expect(logged).toEqual([
      expect.stringMatching(/state\.db: it is damaged .*. The bot's former state is only in that file/),
    ])
    const [kept] = readdirSync(home).filter((name) => name.includes('.broken-'))
    expect(readFileSync(join(home, kept!), 'utf8')).toMatch(/^no database /)
    expect(await store.get('k')).toBeUndefined()
    expect(await store.set('k', 1)).toBe(true)
    store.close()
  })

  test('all calls of the turn that finds the damage fail, also those that expect no value', async () => {
    const home = join(folder, 'damaged-turn')
    mkdirSync(home)
    writeFileSync(join(home, 'state.db'), 'no database '.repeat(1000))
    const store = sqlite(clock, join(home, 'state.db'))
    const calls = [store.set('a', 1, { expected: 0 }), store.set('b', 1, { expected: 0 }), store.get('c')]
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ reason: { code: 'ERR_STATE' } })
    expect(await store.list('')).toEqual([])
    store.close()
  })

  test("rejects another program's database", async () => {
    const home = join(folder, 'foreign')
    mkdirSync(home)
    const file = join(home, 'state.db')
    using db = openDatabase(file)
    db.exec('CREATE TABLE theirs (x)')
    db.close()
    const store = sqlite(clock, file)
    await expect(store.set('k', 1)).rejects.toThrow(/database of another program/)
    expect(readdirSync(home).some((name) => name.includes('.broken-'))).toBe(true)
    store.close()
  })

  test('is moved aside if the damage is found later', async () => {
    const file = join(folder, 'later', 'state.db')
    const first = sqlite(clock, file)
    for (let i = 0; i < 200; i++) await first.set(`k${i}`, 'x'.repeat(500))
    first.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096)
    writeFileSync(file, bytes)
    const store = sqlite(clock, file)
    await expect(store.list('k')).rejects.toMatchObject({ code: 'ERR_STATE' })
    expect(await store.list('k')).toEqual([])
    expect(readdirSync(join(folder, 'later')).some((name) => name.includes('.broken-'))).toBe(true)
    store.close()
  })

  test('rejects a write to a full disk, and changes nothing', async () => {
    const file = join(folder, 'full', 'state.db')
    const store = new SqliteStore({ file, botId: 'bot', clock, log, maxPages: 20 })
    await store.set('k', 'small')
    await expect(store.set('k', 'x'.repeat(1_000_000))).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringMatching(/state\.db: the disk is full, so nothing was changed/),
    })
    expect((await store.get('k'))?.value).toBe('small')
    expect(await store.set('k', 'other')).toBe(true)
    store.close()
  })

  test('names the reason if its folder cannot be created', async () => {
    writeFileSync(join(folder, 'a-file'), '')
    const store = sqlite(clock, join(folder, 'a-file', 'state.db'))
    await expect(store.get('k')).rejects.toMatchObject({ code: 'ERR_STATE', message: expect.stringMatching(/a-file/) })
  })

  test('lets rows that promise something wait for the disk, and other rows once a second', async () => {
    const modes: number[] = []
    const watched: typeof openDatabase = (...args) => {
      const db = openDatabase(...args)
      const transaction = db.transaction.bind(db)
      return Object.assign(db, {
        transaction<T>(fn: () => T): T {
          modes.push(Number(db.prepare('PRAGMA synchronous').get()!['synchronous']))
          return transaction(fn)
        },
      })
    }
    const file = join(folder, 'synced', 'state.db')
    const clock = new VirtualClock()
    const store = new SqliteStore({ file, botId: 'bot', clock, log, openDatabase: watched })
    await store.get('the migration has ended')
    modes.length = 0
    const [NORMAL, FULL] = [1, 2]
    await store.set('state:user:points:1', 1)
    await store.set('cooldown:ping:user:1', 1)
    await store.set('once:1:pay', { state: 'running' })
    await store.delete('once:1:pay')
    await store.delete('cooldown:ping:user:1')
    await store.delete('run:due:000000000000001:1')
    await Promise.all([store.set('state:user:points:1', 2), store.set('run:head:1', {})])
    await store.set('state:user:points:1', 3)
    expect(modes.splice(0)).toEqual([NORMAL, NORMAL, FULL, FULL, NORMAL, NORMAL, FULL, NORMAL])
    await clock.advance(900)
    await store.set('state:user:points:1', 4)
    await store.set('state:user:points:1', 5)
    expect(modes).toEqual([FULL, NORMAL])
    expect(clock.waiting).toBe(1)
    // SQLite syncs no commit without a change.
    expect(await store.delete('once:1:pay')).toBe(false)
    expect(clock.waiting).toBe(1)
    store.close()
    expect(clock.waiting).toBe(0)
  })

  test('deletes expired values from the file', async () => {
    const file = join(folder, 'clean', 'state.db')
    const store = sqlite(clock, file)
    for (let i = 0; i < 50; i++) await store.set(`k${i}`, i, { expiresAtMs: clock.now() + 1000 })
    await clock.advance(3_600_000)
    await store.set('other', 1)
    using db = openDatabase(file)
    expect(db.prepare('SELECT count(*) AS n FROM value').get()).toEqual({ n: 1 })
    store.close()
  })

  test('keeps the values that have expired only by a clock that was ahead for a moment', async () => {
    const file = join(folder, 'ahead', 'state.db')
    const DAY_MS = 24 * 3_600_000
    let aheadMs = 0
    const own = { ...clockOf(clock), now: () => clock.now() + aheadMs }
    const first = sqlite(own, file)
    await first.set('once', 1, { expiresAtMs: clock.now() + 14 * DAY_MS })
    first.close()
    aheadMs = 60 * DAY_MS
    using second = sqlite(own, file)
    expect(await second.get('once')).toBeUndefined()
    await second.set('other', 1)
    aheadMs = 0
    await clock.advance(3_600_000)
    await second.set('other', 2)
    aheadMs = 60 * DAY_MS
    await clock.advance(3_600_000)
    await second.set('other', 3)
    aheadMs = 0
    expect(await second.get('once')).toMatchObject({ value: 1 })
  })

  test('keeps the values of other bots if the clock of a bot under development is moved', async () => {
    const file = join(folder, 'moved', 'state.db')
    const moved = new AdvanceableClock(clock)
    using real = sqlite(clock, file, 'real')
    using local = sqlite(moved, file, 'local')
    await real.set('rsvp', 'yes', { expiresAtMs: clock.now() + 30 * 24 * 3_600_000 })
    await local.set('n', 1)
    moved.advance(90 * 24 * 3_600_000)
    await local.set('n', 2)
    await clock.advance(3_600_000)
    await local.set('n', 3)
    expect(await real.get('rsvp')).toMatchObject({ value: 'yes' })
  })
})

test('the in-memory store deletes expired values, even of keys that are never read again', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  await store.set('kept', 1)
  for (let i = 0; i < 10_000; i++) {
    await store.set(`once:${i}`, i, { expiresAtMs: clock.now() + 1000 })
    if (i % 100 === 0) await clock.advance(100)
  }
  expect(store.size).toBeLessThan(4000)
  expect((await store.get('kept'))?.value).toBe(1)
})

test('the key-value store deletes expired values, even of keys that are never read again', async () => {
  const clock = new VirtualClock()
  const storage = createStorage()
  const store = keyValueStore(storage, clock)
  await store.set('kept', 1)
  for (let i = 0; i < 5000; i++) {
    await store.set(`once:${i}`, i, { expiresAtMs: clock.now() + 1000 })
    if (i % 100 === 0) await clock.advance(500)
  }
  expect((await storage.getKeys()).length).toBeLessThan(2500)
  expect((await store.get('kept'))?.value).toBe(1)
})

test('the key-value store deletes the expired values that a list finds', async () => {
  const clock = new VirtualClock()
  const storage = createStorage()
  const store = keyValueStore(storage, clock)
  await store.set('kept', 1)
  await store.set('expired', 2, { expiresAtMs: clock.now() + 1000 })
  await clock.advance(1000)
  expect(await store.list('')).toMatchObject([{ key: 'kept', value: 1 }])
  expect(await storage.getKeys()).toHaveLength(1)
})
