import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Chat, inGroupCommit } from './chat.ts'
import { preparedSql } from './db/sql.ts'
import { startTest, testWorld } from './test-tools/driver.test.fixture.ts'
import { RateWindows } from './rate-windows.ts'
import { Refusal } from './refusal.ts'
import { startOn } from './start/start-service.ts'
import { checkWorld } from './world/world.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'botwright-group-commit-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('calls of one turn of the event loop', () => {
  let chat: Chat
  const done: string[] = []

  beforeEach(() => {
    done.length = 0
    const db = openDatabase(join(folder, 'group.db'))
    db.exec('CREATE TABLE notes (text TEXT); CREATE TABLE parents (id PRIMARY KEY); INSERT INTO parents VALUES (1)')
    db.exec('CREATE TABLE children (parent REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)')
    const rates = new RateWindows(systemClock)
    chat = { db, sql: preparedSql(db), afterCommit: [], waitingCalls: [], rates } as unknown as Chat
  })
  afterEach(() => chat.db.close())

  /** Another connection reads only what is committed. */
  const stored = () => {
    using other = openDatabase(join(folder, 'group.db'), { readOnly: true })
    return other
      .prepare<{ text: string }>('SELECT text FROM notes')
      .all()
      .map(({ text }) => text)
  }
  const note = (text: string) => {
    chat.sql.run('INSERT INTO notes (text) VALUES (?)', text)
    chat.afterCommit.push(() => done.push(`after ${text}`))
  }
  const call = (text: string, then = (): void => {}) =>
    inGroupCommit(chat, () => {
      note(text)
      done.push(`ran ${text}, stored ${stored().length}`)
      then()
      return text
    }).then((answer) => void done.push(`answered ${answer}, stored ${stored().length}`))

  it('are committed together, and answered after the commit', async () => {
    await Promise.all([call('a'), call('b')])
    await call('c')
    expect(done).toEqual([
      'ran a, stored 0',
      'ran b, stored 0',
      'after a',
      'after b',
      'answered a, stored 2',
      'answered b, stored 2',
      'ran c, stored 2',
      'after c',
      'answered c, stored 3',
    ])
  })

  it('fail alone: a refused one leaves only its record', async () => {
    const record = () => note('a violation')
    const refuse = () => {
      throw new Refusal(400, 'no', { record })
    }
    const fail = () => {
      throw new RangeError('broken')
    }
    const outcomes = await Promise.allSettled([call('a'), call('b', refuse), call('c', fail), call('d')])
    expect(outcomes.map((each) => (each.status === 'rejected' ? String(each.reason) : 'ok'))).toEqual([
      'ok',
      'Refusal: no',
      'RangeError: broken',
      'ok',
    ])
    expect(stored()).toEqual(['a', 'a violation', 'd'])
    expect(done.filter((each) => each.startsWith('after'))).toEqual(['after a', 'after a violation', 'after d'])
  })

  it('write nothing to the file if all are refused', async () => {
    const refuse = () => {
      throw new Refusal(400, 'no')
    }
    using other = openDatabase(join(folder, 'group.db'), { readOnly: true })
    const version = () => other.prepare('PRAGMA data_version').get()
    const before = version()
    const outcomes = await Promise.allSettled([call('a', refuse), call('b', refuse)])
    expect(outcomes.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(
      Array(2).fill('Refusal: no'),
    )
    expect(version()).toEqual(before)
    await call('c')
    expect(version()).not.toEqual(before)
  })

  it('all fail if the commit fails, and the next turn is not affected', async () => {
    const orphan = () => void chat.sql.run('INSERT INTO children (parent) VALUES (?)', 2)
    const outcomes = await Promise.allSettled([call('a'), call('b', orphan), call('c')])
    expect(outcomes.map((each) => each.status === 'rejected' && (each.reason as { code?: string }).code)).toEqual(
      Array(3).fill('constraint'),
    )
    expect([stored(), chat.afterCommit]).toEqual([[], []])
    await call('d')
    expect(stored()).toEqual(['d'])
    expect(done.filter((each) => each.startsWith('after'))).toEqual(['after d'])
  })

  it('all fail if one of them makes SQLite roll back the transaction', async () => {
    const lose = () => chat.db.exec('INSERT OR ROLLBACK INTO parents VALUES (1)')
    const outcomes = await Promise.allSettled([call('a'), call('b', lose), call('c')])
    expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    expect(stored()).toEqual([])
  })
})

it(
  'on a full disk, concurrent calls with status 200 are stored, and those with 503 leave nothing behind',
  slow,
  async () => {
    const db = openDatabase(join(folder, 'full.db'))
    await using service = await startOn(db, { port: 0 }, checkWorld(testWorld()))
    const id = service.world.servers['Workshop']!.channels['general']!
    const headers = {
      authorization: `Person ${service.world.people['ann']!.token}`,
      'content-type': 'application/json',
    }
    const { page_count } = db.prepare<{ page_count: number }>('PRAGMA page_count').get()!
    db.exec(`PRAGMA max_page_count = ${page_count + 8}`)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const post = async (n: number) => {
      const body = JSON.stringify({ content: `${n} ${'x'.repeat(1900)}` })
      const answer = await fetch(`${service.url}/people/v1/channels/${id}/messages`, { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as { id?: string; error?: string } }
    }
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => post(n)))
    vi.restoreAllMocks()
    const accepted = answers.filter(({ status }) => status === 200).map(({ body }) => body.id)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused) {
      expect([status, body.error]).toEqual([503, expect.stringContaining('free some space')])
    }
    const rows = db.prepare<{ id: string }>('SELECT id FROM messages').all()
    expect(rows.map((row) => row.id).sort()).toEqual(accepted.sort())
    db.exec('PRAGMA max_page_count = 100000')
    expect((await post(100)).status).toBe(200)
  },
)

it('a poll and a page receive the events of a commit at once', async () => {
  await using chat = await startTest({ controls: true })
  const token = chat.service.world.people['ann']!.token
  const socket = connect(chat.service.port, '127.0.0.1')
  let text = ''
  socket.on('data', (part: Buffer) => (text += part.toString()))
  socket.write(`GET /people/v1/stream?token=${token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  await expect.poll(() => text).toContain('listening')
  const { last } = (await chat.bot('GET', '/events?after=0')).body as { last: number }
  const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
  await expect.poll(() => chat.service.observer.bot(chat.botId).polls).toBe(true)
  // The controls post the first message alone, and the rest of the load together.
  const load = { channel_id: chat.workshop.channels['general'], count: 50, per_second: 10_000 }
  await chat.call('POST', '/controls/v1/load', { body: load })
  const first = (await poll).body as { events: { type: string }[]; last: number }
  const messages = first.events.filter(({ type }) => type === 'message')
  const next = chat.bot('GET', `/events?after=${first.last}&wait=25`)
  await expect.poll(() => chat.service.observer.bot(chat.botId).polls).toBe(true)
  await chat.clock.advance(100)
  expect([messages.length, ((await next).body as { events: object[] }).events.length]).toEqual([1, 49])
  const count = (of: string) => of.split('event: message_create').length - 1
  await expect.poll(() => count(text)).toBe(50)
  // Each chunk of the response begins with its size in a line of its own.
  const chunks = text.split(/\r\n[0-9a-f]+\r\n/).map(count)
  expect(chunks.filter((events) => events > 0)).toEqual([1, 49])
  socket.destroy()
})
