import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { openJournal, openSetAside } from '../index.ts'
import { message } from './rig.test.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'botwright-set-aside-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const clock = new VirtualClock()

/** The journals of two bots in one file. */
function journals(name: string) {
  const file = join(folder, name)
  const options = { file, baseUrl: 'http://x/v1', clock }
  const one = openJournal({ ...options, botId: 'b' })
  const two = openJournal({ ...options, botId: 'c' })
  return { file, one, two, [Symbol.dispose]: () => [one, two].forEach((journal) => journal.close()) }
}

it('another process lists the events of each bot that are set aside', () => {
  using t = journals('list.db')
  t.one.setAside(message(9), 'later')
  t.one.setAside(message(5), 'first')
  t.two.commit({ setAside: [{ event: message(7), reason: 'third', atMs: 70 }] })
  using found = openSetAside(t.file, clock)!
  expect(found.feeds.map(({ baseUrl, botId, list }) => ({ baseUrl, botId, events: list() }))).toEqual([
    {
      baseUrl: 'http://x/v1',
      botId: 'b',
      events: [
        { event: message(5), reason: 'first', atMs: clock.now() },
        { event: message(9), reason: 'later', atMs: clock.now() },
      ],
    },
    { baseUrl: 'http://x/v1', botId: 'c', events: [{ event: message(7), reason: 'third', atMs: 70 }] },
  ])
  expect([t.one.countSetAside(), t.two.countSetAside()]).toEqual([2, 1])
})

it('another process requests replays, which the bot reads and drops', () => {
  using t = journals('request.db')
  using found = openSetAside(t.file, clock)!
  const [one, two] = found.feeds
  one!.request([9, 5])
  one!.request([9])
  expect(one!.requests()).toEqual([5, 9])
  expect(two!.requests()).toEqual([])
  expect(t.one.replayRequests()).toEqual([5, 9])
  t.one.dropReplayRequest(5)
  expect(one!.requests()).toEqual([9])
  expect(t.two.replayRequests()).toEqual([])
})

it('skips an event that is damaged, and reads the others', () => {
  using t = journals('damaged.db')
  for (const id of [5, 6, 7]) t.one.setAside(message(id), 'why')
  using db = openDatabase(t.file)
  db.exec(`UPDATE set_aside SET event = '{' WHERE event_id = 5`)
  db.exec(`UPDATE set_aside SET event = '{"id":"x"}' WHERE event_id = 6`)
  using found = openSetAside(t.file, clock)!
  expect(found.feeds[0]!.list().map(({ event }) => event.id)).toEqual([7])
  expect(t.one.commit({ replayed: [7] })).toBe(true)
  expect(found.feeds[0]!.list()).toEqual([])
})

it('a missing file has no feeds, and one that is not a journal is named in the error', () => {
  expect(openSetAside(join(folder, 'none.db'), clock)).toBeUndefined()
  const file = join(folder, 'other.db')
  {
    using db = openDatabase(file)
    db.exec('CREATE TABLE theirs (x)')
  }
  expect(() => openSetAside(file, clock)).toThrow(/other\.db: cannot be read as a journal: .*another program/)
  expect(() => openSetAside(file, clock)).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ name: 'BrokenJournal' }) }),
  )
  writeFileSync(join(folder, 'text.db'), 'not a database '.repeat(1000))
  expect(() => openSetAside(join(folder, 'text.db'), clock)).toThrow(/not a database/)
})
