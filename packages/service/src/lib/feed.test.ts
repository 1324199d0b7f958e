import { type Clock, systemClock } from '@botwright/clock'
import { limits } from '@botwright/protocol'
import { migrate } from '@botwright/sqlite'
import { expect, it } from 'vitest'
import { memoryDatabase } from './db/memory-database.ts'
import { migrations } from './db/schema.ts'
import { preparedSql } from './db/sql.ts'
import { Feed } from './feed.ts'

it('deletes old events and clicks after some hundred new ones', () => {
  const db = memoryDatabase()
  migrate(db, migrations)
  db.exec(`
    INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1), ('b', 'bot', 1);
    INSERT INTO channels (id, type) VALUES ('c', 'dm');`)
  let nowMs = 1_000_000_000_000
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const feed = new Feed(preparedSql(db), clock)
  const click = (id: string) => {
    feed.add('b', 'interaction', { id })
    db.prepare("INSERT INTO interactions VALUES (?, 't', 'b', 'u', 'x', 'm', 'c', NULL, ?)").run(id, nowMs)
    db.prepare("INSERT INTO answers (interaction_id, type, created_at) VALUES (?, 'ack', ?)").run(id, nowMs)
  }
  click('old')
  nowMs += limits.event_retention.seconds * 1000 + 1
  click('young')
  for (let i = 0; i < 300; i++) feed.add('b', 'test', {})
  const ids = (sql: string) => db.prepare<{ id: string }>(sql).all()
  expect(ids('SELECT id FROM interactions')).toEqual([{ id: 'young' }])
  expect(ids('SELECT interaction_id AS id FROM answers')).toEqual([{ id: 'young' }])
  expect(ids("SELECT json_extract(data, '$.id') AS id FROM events WHERE type = 'interaction'")).toEqual([
    { id: 'young' },
  ])
  db.close()
})
