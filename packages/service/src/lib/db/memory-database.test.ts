import { migrate } from '@botwright/sqlite'
import { expect, it } from 'vitest'
import { memoryDatabase } from './memory-database.ts'
import { migrations } from './schema.ts'

const opened = () => {
  const db = memoryDatabase()
  migrate(db, migrations)
  const tables = db.prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return {
    db,
    rows: () => Object.fromEntries(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()])),
  }
}

const fill = `
INSERT INTO meta VALUES ('populated', '1');
INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1), ('b', 'bot', 1);
INSERT INTO sessions VALUES ('s', 'u');
INSERT INTO bots (user_id, owner_id, token_hash) VALUES ('b', 'u', 't');
INSERT INTO servers (id, name, owner_id, created_at) VALUES ('s', 'Workshop', 'u', 1);
INSERT INTO roles (id, server_id, name, position) VALUES ('r', 's', 'painter', 1);
INSERT INTO members (server_id, user_id, joined_at) VALUES ('s', 'u', 1);
INSERT INTO member_roles VALUES ('s', 'u', 'r');
INSERT INTO bans VALUES ('s', 'b', NULL, 1);
INSERT INTO timeouts VALUES ('s', 'u', 1);
INSERT INTO categories VALUES ('k', 's', 'Rooms', 0);
INSERT INTO channels (id, server_id, type, name, category_id) VALUES ('c', 's', 'text', 'general', 'k');
INSERT INTO channel_roles VALUES ('c', 'r', 'see');
INSERT INTO channel_users VALUES ('c', 'u');
INSERT INTO messages (id, channel_id, author_id, content, embeds, components, created_at, posted_at) VALUES ('m', 'c', 'u', 'hi', '[]', '[]', 1, 1);
INSERT INTO reactions (message_id, emoji, user_id) VALUES ('m', '👍', 'u');
INSERT INTO events (type, data, created_at) VALUES ('message', '{}', 1);
INSERT INTO targets VALUES ('b', 2, 2, NULL);
INSERT INTO interactions VALUES ('i', 't', 'b', 'u', 'yes', 'm', 'c', 's', 1);
INSERT INTO answers (interaction_id, type, created_at) VALUES ('i', 'ack', 1);
INSERT INTO violations VALUES ('u', 1);
INSERT INTO voice VALUES ('u', 'c');
INSERT INTO submissions (id, bot_id, description, created_at) VALUES ('s', 'b', 'what it does', 1);
INSERT INTO reports (id, message_id, channel_id, author_id, content, reporter_id, reason, created_at) VALUES ('r', 'm', 'c', 'u', 'hi', 'u', 'spam', 1);
INSERT INTO channel_webhooks VALUES ('w', 'c', 'u', 'news', NULL, 't', 1);
INSERT INTO uploads VALUES ('p', 'image/png', x'00', 'avatar', 1, 'u', NULL);
`

it('is empty when it is reused, whichever table had rows', () => {
  const first = opened()
  const atFirst = first.rows()
  first.db.exec(fill)
  for (const [table, rows] of Object.entries(first.rows())) expect(rows, table).not.toEqual([])
  first.db.close()
  const next = opened()
  expect(next.rows()).toEqual(atFirst)
  next.db.close()
})

it('stays closed for its previous user while others use it', () => {
  const { db } = opened()
  const count = db.prepare('SELECT count(*) AS n FROM users')
  db.close()
  db.close()
  const next = opened().db
  next.exec("INSERT INTO users (id, username, created_at) VALUES ('u', 'ann', 1)")
  expect(() => count.get()).toThrow(/closed/)
  expect(() => db.exec('DELETE FROM users')).toThrow(/closed/)
  expect(() => db.prepare('DELETE FROM users')).toThrow(/closed/)
  expect(() => db.transaction(() => 1)).toThrow(/closed/)
  expect(next.prepare('SELECT count(*) AS n FROM users').get()).toEqual({ n: 1 })
  next.close()
})

it('shares nothing with another open database', () => {
  const [one, two] = [opened().db, opened().db]
  one.exec("INSERT INTO meta VALUES ('populated', '1')")
  expect(two.prepare('SELECT * FROM meta').all()).toEqual([])
  one.close()
  two.close()
})
