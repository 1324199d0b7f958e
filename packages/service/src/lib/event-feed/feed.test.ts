import { AdvanceableClock, type Clock, systemClock, VirtualClock } from '@botwright/clock'
import { limits } from '@botwright/protocol'
import { type Database, migrate, openDatabase } from '@botwright/sqlite'
import { expect, it } from 'vitest'
import type { Target } from '../db/events.ts'
import { memoryDatabase } from '../db/memory-database.ts'
import { migrations } from '../db/schema.ts'
import { preparedSql } from '../db/sql.ts'
import { Feed } from './feed.ts'

/** A feed on its own database, with the bots `b` and `c`. */
function feedOf(db: Database, clock: Clock = systemClock) {
  const sql = preparedSql(db)
  const feed = new Feed(sql, clock)
  const poll = async (after: number, botId = 'b') => (await feed.poll(botId, { after, wait: 0 }, () => {})).toJSON()
  return {
    sql,
    feed,
    poll,
    newest: async () => (await poll(0)).last,
    emit: (data: object, ...targets: Target[]) => {
      for (const added of sql.transaction(() => feed.add('message', data, targets))) feed.publish(added)
    },
  }
}

function withBots(): Database {
  const db = memoryDatabase()
  migrate(db, migrations)
  db.exec(`
    INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1), ('b', 'bot', 1), ('c', 'cat', 1);
    INSERT INTO bots (user_id, owner_id, token_hash) VALUES ('b', 'u', 't'), ('c', 'u', 's');`)
  return db
}

it('returns the same pages from memory and, after a restart, from the database', async () => {
  using db = withBots()
  const { emit, poll, newest } = feedOf(db)
  const start = await newest()
  emit({ text: 'for both', mentioned: false }, { botId: 'b' }, { botId: 'c', own: { mentioned: true, command: 'x' } })
  emit({ text: 'for one "quoted"' }, { botId: 'c' })
  const restarted = feedOf(db)
  expect(await restarted.newest()).toBe(start + 3)
  const pages = []
  for (const bot of ['b', 'c']) {
    for (let after = start; after <= start + 3; after++) {
      const page = await poll(after, bot)
      expect(await restarted.poll(after, bot)).toEqual(page)
      pages.push(page.events.map(({ id, data }) => [id - start, data]))
    }
  }
  const both = { text: 'for both', mentioned: false }
  const forC = [2, { text: 'for both', mentioned: true, command: 'x' }]
  const last = [3, { text: 'for one "quoted"' }]
  expect(pages).toEqual([[[1, both]], [], [], [], [forC, last], [forC, last], [last], []])
  // A bot that had no event before the restart reads its later ones from memory.
  restarted.emit({ text: 'later' }, { botId: 'b' })
  expect((await restarted.poll(start + 3)).events.map(({ id }) => id)).toEqual([start + 4])
})

it.each([
  ['many events', 300, 'short'],
  ['long events', 100, 'x'.repeat(2000)],
])('returns each of %s once, although memory holds only the newest', async (_, count, text) => {
  using db = withBots()
  const { emit, poll, newest } = feedOf(db)
  const start = await newest()
  for (let n = 0; n < count; n++) emit({ n, text }, { botId: 'b' }, { botId: 'c' })
  for (const after of [start, start + count, start + 2 * count - 6]) {
    const { events, last } = await poll(after)
    const numbers = events.map(({ data }) => (data as unknown as { n: number }).n)
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n).slice(Math.ceil((after - start) / 2)))
    expect(last).toBe(start + 2 * count)
  }
})

it('does not show events of a rolled-back transaction, nor uses their ids again', async () => {
  using db = withBots()
  const { emit, feed, sql, poll, newest } = feedOf(db)
  const start = await newest()
  const fail = () => {
    feed.add('message', { text: 'undone' }, [{ botId: 'b' }])
    throw new Error('rolled back')
  }
  expect(() => sql.transaction(fail)).toThrow('rolled back')
  expect(await poll(start)).toEqual({ events: [], last: start })
  emit({ text: 'done' }, { botId: 'b' })
  expect(await poll(start)).toMatchObject({ events: [{ id: start + 2, data: { text: 'done' } }], last: start + 2 })
  expect(await feedOf(db).poll(start)).toEqual(await poll(start))
})

it('keeps the events and the newest id of a file of an older release', async () => {
  using db = openDatabase(':memory:')
  migrate(db, migrations.slice(0, 6))
  db.exec(`
    INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1), ('b', 'bot', 1);
    INSERT INTO bots (user_id, owner_id, token_hash) VALUES ('b', 'u', 't');
    INSERT INTO events (bot_id, type, data, created_at) VALUES ('b', 'test', '{"n":1}', 5), ('b', 'test', '{"n":2}', 5), ('b', 'test', '{"n":3}', 5);
    DELETE FROM events WHERE id = 4;`)
  migrate(db, migrations)
  const { emit, poll, newest } = feedOf(db, { ...systemClock, now: () => 10 })
  expect(await newest()).toBe(4)
  emit({ n: 4 }, { botId: 'b' })
  expect((await poll(1)).events.map(({ id, data }) => [id, data])).toEqual([
    [2, { n: 1 }],
    [3, { n: 2 }],
    [5, { n: 4 }],
  ])
})

it('deletes old events and clicks after some hundred new ones', () => {
  const db = memoryDatabase()
  migrate(db, migrations)
  db.exec(`
    INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1), ('b', 'bot', 1);
    INSERT INTO bots (user_id, owner_id, token_hash) VALUES ('b', 'u', 't');
    INSERT INTO channels (id, type) VALUES ('c', 'dm');`)
  let nowMs = 1_000_000_000_000
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const feed = new Feed(preparedSql(db), clock)
  const click = (id: string) => {
    feed.add('interaction', { id }, [{ botId: 'b' }])
    db.prepare("INSERT INTO interactions VALUES (?, 't', 'b', 'u', 'x', 'm', 'c', NULL, ?)").run(id, nowMs)
    db.prepare("INSERT INTO answers (interaction_id, type, created_at) VALUES (?, 'ack', ?)").run(id, nowMs)
  }
  click('old')
  nowMs += limits.event_retention.seconds * 1000 + 1
  click('young')
  for (let i = 0; i < 300; i++) feed.add('test', {}, [{ botId: 'b' }])
  const ids = (sql: string) => db.prepare<{ id: string }>(sql).all()
  expect(ids('SELECT id FROM interactions')).toEqual([{ id: 'young' }])
  expect(ids('SELECT interaction_id AS id FROM answers')).toEqual([{ id: 'young' }])
  expect(ids("SELECT json_extract(data, '$.id') AS id FROM events WHERE type = 'interaction'")).toEqual([
    { id: 'young' },
  ])
  const targets = db.prepare<{ n: number }>('SELECT count(*) AS n FROM targets').get()
  expect(targets).toEqual(db.prepare('SELECT count(*) AS n FROM events').get())
  db.close()
})

it('a waiting poll measures the time that really passes, so that moving the clock does not end it', async () => {
  using db = withBots()
  const base = new VirtualClock()
  const clock = new AdvanceableClock(base)
  const { emit, newest, feed } = feedOf(db, clock)
  emit({ text: 'known' }, { botId: 'b' })
  let ended = false
  const waiting = feed.poll('b', { after: await newest(), wait: 25 }, () => {}).then(() => (ended = true))
  clock.advance(60_000)
  await base.advance(24_999)
  expect(ended).toBe(false)
  await base.advance(1)
  await waiting
})
