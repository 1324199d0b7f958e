import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { eventKey, openJournal, type Journal, type JournalOptions, type ReportEntry } from '../index.ts'
import { decodeGroup, encodeGroup, JournalState } from './journal-log.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const folder = mkdtempSync(join(tmpdir(), 'botwright-journal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => join(folder, `sub${files}`, `bot${files++}.db`)

const clock = new VirtualClock()
function open(file: string, more: Partial<JournalOptions> = {}) {
  const reports: ReportEntry[] = []
  const report = (entry: ReportEntry) => void reports.push(entry)
  const journal = openJournal({ file, baseUrl: 'http://x/v1', botId: 'b', clock, report, ...more })
  return { journal, reports }
}

/** Makes every write fail or succeed: SQLite does not let the file grow. */
function setFull(file: string, full: boolean) {
  using db = openDatabase(file)
  if (full)
    db.exec("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END")
  else db.exec('DROP TRIGGER full')
}

describe('the log', () => {
  it('is complete when reopened, even without a close', () => {
    const file = newFile()
    const { journal } = open(file)
    journal.commit({
      started: [
        { key: 5, attempt: 1 },
        { key: 9, attempt: 2 },
      ],
      cursor: { after: 3, savedAtMs: 77 },
    })
    journal.commit({ done: [5], offered: [message(12), message(11)], started: [{ key: 14, attempt: 1 }] })
    journal.setValue('sends', '[1,2]')
    journal.setAside(message(2), 'why')
    const again = open(file).journal
    expect(again.cursor()).toEqual({ after: 3, savedAtMs: 77 })
    expect([...again.unfinished()]).toEqual([
      [9, 2],
      [14, 1],
    ])
    expect([...again.doneAboveCursor()]).toEqual([5])
    expect(again.bodies()).toEqual([message(11), message(12)])
    expect(again.getValue('sends')).toBe('[1,2]')
    expect(again.listSetAside()).toEqual([{ event: message(2), reason: 'why', atMs: clock.now() }])
    again.setAside({ ...message(2), era: 1 }, 'an event of the next era')
    expect(again.commit({ replayed: [2] })).toBe(true)
    expect(again.listSetAside().map(({ event }) => event.era)).toEqual([1])
    again.close()
    journal.close()
  })

  it('separates bots and addresses', () => {
    const file = newFile()
    using one = open(file).journal
    using two = open(file, { botId: 'c' }).journal
    using three = open(file, { baseUrl: 'http://y/v1' }).journal
    one.commit({ cursor: { after: 3, savedAtMs: 1 } })
    one.setValue('k', 'v')
    two.commit({ cursor: { after: 8, savedAtMs: 1 } })
    expect([one, two, three].map((j) => j.cursor()?.after)).toEqual([3, 8, undefined])
    expect(two.getValue('k')).toBeUndefined()
  })

  it('is compacted regularly, without losing data', slow, () => {
    const file = newFile()
    const { journal } = open(file)
    for (let id = 1; id <= 5000; id++)
      journal.commit({
        started: [{ key: id, attempt: 1 }],
        done: id > 3 ? [id - 3] : [],
        cursor: { after: Math.max(id - 4, 1), savedAtMs: id },
      })
    journal.close()
    using db = openDatabase(file)
    expect(db.prepare('SELECT count(*) AS n FROM log').get()).toEqual({ n: 1 })
    expect(statSync(file).size).toBeLessThan(300_000)
    using again = open(file).journal
    expect(again.cursor()).toEqual({ after: 4996, savedAtMs: 5000 })
    expect([...again.unfinished().keys()]).toEqual([4998, 4999, 5000])
  })

  it('is compacted at 256 rows, also of an earlier process, and when it is closed', () => {
    const file = newFile()
    const first = open(file).journal
    using db = openDatabase(file)
    const rows = () => Number(db.prepare('SELECT count(*) AS n FROM log').get()!['n'])
    const add = (journal: Journal, count: number) => {
      for (let n = 0; n < count; n++) journal.commit({ cursor: { after: 7, savedAtMs: n } })
    }
    add(first, 255)
    expect(rows()).toBe(255)
    add(first, 1)
    expect(rows()).toBe(1)
    add(first, 254)
    expect(rows()).toBe(255)
    const second = open(file).journal
    add(second, 1)
    expect(rows()).toBe(1)
    add(second, 1)
    second.close()
    expect(rows()).toBe(1)
  })

  it('is compacted at a million characters', () => {
    const file = newFile()
    const { journal } = open(file)
    using db = openDatabase(file)
    const rows = () => Number(db.prepare('SELECT count(*) AS n FROM log').get()!['n'])
    const large = { ...message(5), data: { content: 'x'.repeat(499_000) } }
    journal.commit({ offered: [large] })
    journal.commit({ done: [5] })
    expect(rows()).toBe(2)
    journal.commit({ offered: [{ ...large, data: { content: 'x'.repeat(501_000) } }] })
    expect(rows()).toBe(1)
    journal.close()
  })

  it('counts groups and bytes, and writes nothing once it is closed', () => {
    const file = newFile()
    const { journal } = open(file)
    expect(journal.stats()).toMatchObject({ commits: 0, failingSinceMs: undefined })
    journal.commit({ done: [5] })
    journal.commit({ done: [6] })
    expect(journal.stats().commits).toBe(2)
    expect(journal.stats().bytes).toBe(statSync(file).size + statSync(`${file}-wal`).size)
    journal[Symbol.dispose]()
    expect(journal.commit({ done: [7] })).toBe(false)
    expect(journal.setValue('k', 'v')).toBe(false)
    journal.close()
    const memory = open(':memory:').journal
    expect(memory.stats().bytes).toBe(0)
    memory.close()
  })

  it('keeps only the finished ids above the cursor', () => {
    const state = new JournalState()
    state.apply({ done: [5, 6, 7], started: [{ key: 8, attempt: 2 }], cursor: { after: 6, savedAtMs: 1 } })
    expect(state.snapshot()).toEqual({
      started: [{ key: 8, attempt: 2 }],
      done: [7],
      offered: [],
      replayed: [],
      cursor: { after: 6, savedAtMs: 1 },
    })
    state.apply({ offered: [message(8)], started: [{ key: 9, attempt: 1 }] })
    state.apply({ reset: true })
    const started = [
      { key: 8, attempt: 2 },
      { key: 9, attempt: 1 },
    ]
    expect(state.snapshot()).toMatchObject({ started, done: [], offered: [message(8)] })
    expect(new JournalState().snapshot()).toEqual({ started: [], done: [], offered: [], replayed: [] })
  })

  it.each([
    ['7'],
    ['[]'],
    ['{"s":{}}'],
    ['{"d":[0]}'],
    ['{"s":[-1,1]}'],
    ['{"d":[1.5]}'],
    ['{"o":{}}'],
    ['{"o":[{"id":0}]}'],
    ['{"c":["x"]}'],
  ])('%s is not a row', (row) => {
    expect(() => decodeGroup(row)).toThrow(RangeError)
  })

  it('reads a row without half of a pair', () => {
    expect(decodeGroup('{"x":1,"s":[5,2,6],"c":[7]}')).toEqual({
      ...{ started: [{ key: 5, attempt: 2 }], done: [], offered: [], replayed: [], reset: true },
    })
  })

  it('reads back every group that it can write', slow, () => {
    const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
    const key = fc.record({ id, era: fc.nat() }).map(eventKey)
    const group = fc.record({
      started: fc.array(fc.record({ key, attempt: fc.integer({ min: 1, max: 9 }) })),
      done: fc.array(key),
      offered: fc.array(
        fc.record({
          id,
          type: fc.string({ minLength: 1 }),
          data: fc.dictionary(fc.string(), fc.jsonValue()),
          created_at: fc.string(),
        }),
      ),
      replayed: fc.array(key),
      reset: fc.boolean(),
      cursor: fc.record({ after: id, savedAtMs: id, era: id }, { requiredKeys: ['after', 'savedAtMs'] }),
    })
    fc.assert(
      fc.property(group, (g) => {
        expect(JSON.stringify(decodeGroup(encodeGroup(g)).offered)).toBe(JSON.stringify(g.offered))
        expect({ ...decodeGroup(encodeGroup(g)), offered: 0 }).toEqual({ ...g, offered: 0 })
      }),
      { numRuns: 200 },
    )
  })
})

describe('file errors', () => {
  it.each([
    ['text', (file: string) => writeFileSync(file, 'not a database '.repeat(1000))],
    ['a cut file', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    [
      'bytes that are no text',
      (file: string) => {
        using db = openDatabase(file)
        db.exec(`UPDATE log SET entry = CAST(x'7bfffe7d' AS TEXT)`)
      },
    ],
    [
      'another program’s database',
      (file: string) => {
        rmSync(file)
        using db = openDatabase(file)
        db.exec('CREATE TABLE theirs (x)')
      },
    ],
    [
      'a broken row',
      (file: string) => {
        using db = openDatabase(file)
        db.exec(`UPDATE log SET entry = '{"s":[1'`)
      },
    ],
    [
      'an impossible row',
      (file: string) => {
        using db = openDatabase(file)
        db.exec(`UPDATE log SET entry = '{"d":["7"]}'`)
      },
    ],
    [
      'a missing table',
      (file: string) => {
        using db = openDatabase(file)
        db.exec('DROP TABLE log')
      },
    ],
  ])('%s: is moved aside and reported, and the feed reports its starting position', async (_, breakFile) => {
    const file = newFile()
    const first = open(file).journal
    first.commit({ cursor: { after: 500, savedAtMs: 1 } })
    first.close()
    breakFile(file)
    const { journal, reports } = open(file)
    expect(reports.map(({ code }) => code)).toEqual(['journal_broken'])
    const moved = String(reports[0]?.['movedTo'])
    expect(moved).toContain('.broken-')
    expect(readdirSync(join(file, '..'))).toContain(moved.split('/').at(-1))
    expect(journal.cursor()).toBeUndefined()
    const t = testFeed({ journal, clock, start: 'kept' })
    t.source.add(message(600))
    t.feed.start()
    await turns()
    expect(t.source.asked[0]).toEqual({ after: 1, wait: 25 })
    expect(t.codes()).toEqual(['starting_kept'])
    await t.feed.stop({ graceMs: 0 })
    journal.close()
    expect(open(file).journal.cursor()?.after).toBe(600)
  })

  it('does not change the file of a later release', () => {
    const file = newFile()
    open(file).journal.close()
    {
      using db = openDatabase(file)
      db.exec('PRAGMA user_version = 99')
    }
    expect(() => open(file)).toThrow(/version 99/)
    expect(readdirSync(join(file, '..')).filter((name) => name.includes('broken'))).toEqual([])
  })

  it('never crashes on a file with flipped bytes: reads it, or moves it aside', slow, () => {
    const file = newFile()
    const first = open(file).journal
    for (let id = 2; id < 60; id++)
      first.commit({ started: [{ key: id, attempt: 1 }], cursor: { after: 1, savedAtMs: 1 } })
    first.close()
    const good = readFileSync(file)
    const seed = 20_260_101
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const target = newFile()
        open(target).journal.close()
        const bytes = Buffer.from(good)
        bytes[at]! ^= flip
        writeFileSync(target, bytes)
        let code: unknown = 'newer_version'
        let opened: string[] = []
        try {
          const { journal, reports } = open(target)
          opened = reports.map((r) => r.code)
          journal.close()
        } catch (error) {
          code = (error as { code?: unknown }).code
        }
        expect(code).toBe('newer_version')
        expect([[], ['journal_broken']]).toContainEqual(opened)
      }),
      { numRuns: 100, seed },
    )
  })

  it('a full disk: reports it at once and then once a minute, starts and loses no event, and recovers by itself', async () => {
    const file = newFile()
    const { journal, reports } = open(file)
    const t = testFeed({ journal, clock, start: 'now' })
    t.source.add(message(5))
    t.feed.start()
    await turns()
    setFull(file, true)
    t.source.add(message(6), message(7, 'b'))
    await turns()
    expect(t.ids()).toEqual([])
    expect(reports.map(({ code }) => code)).toEqual(['journal_failed'])
    expect(journal.stats().failure).toEqual({
      reason: expect.stringContaining('full') as string,
      fix: expect.stringMatching(/^free .*disk space/) as string,
    })
    expect(reports[0]!.message).toMatch(/until it is writable: free .*disk space/)
    const offered = t.feed.offer(message(8)).then(() => 'kept')
    await clock.advance(130_000)
    expect(await Promise.race([offered, turns().then(() => 'waits')])).toBe('waits')
    expect(reports.map(({ code }) => code)).toEqual(['journal_failed', 'journal_failed', 'journal_failed'])
    expect(journal.cursor()?.after).toBe(5)
    setFull(file, false)
    await clock.advance(5000)
    expect(await offered).toBe('kept')
    expect(reports.at(-1)).toMatchObject({ code: 'journal_recovered', level: 'info', file })
    // The retry after 130 s is the first that succeeds.
    expect(reports.at(-1)?.message).toMatch(/writable again after 13\d s$/)
    expect(journal.stats()).toEqual(expect.not.objectContaining({ failure: expect.anything() as object }))
    expect(journal.stats().failingSinceMs).toBeUndefined()
    expect(t.ids()).toEqual([6, 7, 8])
    await t.feed.stop({ graceMs: 0 })
    journal.close()
  })
})

describe('kill -9', () => {
  it('loses no started or finished event that was committed', slow, async () => {
    const file = newFile()
    const dist = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
    const program = `
      const { openJournal } = await import(${JSON.stringify(dist)})
      const { systemClock } = await import('@botwright/clock')
      const journal = openJournal({ file: ${JSON.stringify(file)}, baseUrl: 'http://x/v1', botId: 'b', clock: systemClock })
      const first = (journal.cursor()?.after ?? 1) + 1
      for (let id = first; ; id++) {
        journal.commit({ started: [{ key: id, attempt: 1 }], done: id > first ? [id - 1] : [], cursor: { after: id - 1, savedAtMs: 1 } })
        if (id % 50 === 0) { process.stdout.write(id + '\\n'); await new Promise((r) => setTimeout(r, 1)) }
      }`
    const cwd = fileURLToPath(new URL('../..', import.meta.url))
    let said = 0
    for (let round = 0; round < 3; round++) {
      const enough = said + 500 + round * 137
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        cwd,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout.on('data', (chunk) => (said = Number(String(chunk).trim().split('\n').at(-1))))
      while (said < enough) await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await once(child, 'close')
      using journal = open(file).journal
      expect(journal.cursor()!.after).toBeGreaterThanOrEqual(said - 1)
      expect([...journal.unfinished().keys()]).toEqual([journal.cursor()!.after + 1])
    }
  })
})
