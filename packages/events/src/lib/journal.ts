import { statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Clock } from '@botwright/clock'
import type { Database } from '@botwright/sqlite'
import type { BotEvent } from './bot-event.ts'
import { BrokenJournal, openJournalFile } from './journal-file.ts'
import { type Cursor, decodeGroup, encodeGroup, type Group, JournalState } from './journal-log.ts'
import { type Report, reasonOf } from './report.ts'
import { type SetAside, SetAsideTable, textOf } from './set-aside.ts'

/** Where a journal lies, and whose it is. */
export interface JournalOptions {
  /** Path of the journal's own SQLite file (folders are made), or `:memory:`. */
  file: string
  /** Base URL and bot id name the feed inside the file. Never the token: that one changes. */
  baseUrl: string
  botId: string
  clock: Clock
  /** Told about a broken file, and about writes that fail (at once, then once a minute) and work again. */
  report?: Report
}

/** Counts of a journal. */
export interface JournalStats {
  /** Groups written since it was opened. */
  commits: number
  /** The size of the file and of SQLite's log beside it. */
  bytes: number
  /** Since when (monotonic) it cannot be written. */
  failingSinceMs: number | undefined
}

/** The durable memory of one feed. No method but `close` throws because of the disk. */
export interface Journal extends Disposable {
  /** The saved cursor; undefined on a first start, or when the file was broken. */
  cursor(): Cursor | undefined
  /** Events that were started and not finished, with the number of the last attempt. */
  unfinished(): ReadonlyMap<number, number>
  /** Ids above the cursor that are finished. */
  doneAboveCursor(): ReadonlySet<number>
  /** Events from the webhook that are not finished, by rising id. */
  bodies(): BotEvent[]
  /** Writes a group. False: it could not be written (reported), nothing changed, try again. */
  commit(group: Group & { setAside?: readonly SetAside[] }): boolean
  /** Keeps an event that is given up. False: it could not be written. */
  setAside(event: BotEvent, reason: string): boolean
  listSetAside(): SetAside[]
  /** Removes an event that was set aside and returns it, to be offered again. */
  takeSetAside(id: number): BotEvent | undefined
  /** How many are set aside. */
  countSetAside(): number
  /** Ids that another process asked to be run again (`openSetAside`). */
  replayRequests(): number[]
  /** Ends a request, whatever became of it. */
  dropReplayRequest(id: number): void
  stats(): JournalStats
  /** A small value kept beside the log, such as the send times of the message budget. */
  getValue(key: string): string | undefined
  /** False: it could not be written. */
  setValue(key: string, value: string): boolean
  close(): void
}

/** So many rows, or so much text, and the log is replaced by one row. */
const COMPACT_ROWS = 256
const COMPACT_CHARS = 1_000_000
const REPORT_AGAIN_MS = 60_000

/**
 * Opens the journal: one row for each group of events, compacted now and then. `synchronous=NORMAL`: a killed process loses
 * nothing; a power cut may lose the last commits, whose events then run again.
 * @throws DatabaseError when the file cannot be opened or written, or was written by a later release
 */
export function openJournal({ file, baseUrl, botId, clock, report = () => {} }: JournalOptions): Journal {
  return openJournalFile(file, clock, report, (db) => load(db, file, baseUrl, botId, clock, report))
}

function load(db: Database, file: string, baseUrl: string, botId: string, clock: Clock, report: Report): Journal {
  db.prepare('INSERT OR IGNORE INTO feed (base_url, bot_id) VALUES (?, ?)').run(baseUrl, botId)
  const row = db.prepare<{ id: number }>('SELECT id FROM feed WHERE base_url = ? AND bot_id = ?').get(baseUrl, botId)
  const feed = row!.id

  const insertEntry = db.prepare('INSERT INTO log (feed, entry, crc) VALUES (?, ?, ?)')
  const deleteEntries = db.prepare('DELETE FROM log WHERE feed = ?')
  const aside = new SetAsideTable(db, feed)
  const selectValue = db.prepare<{ value: Uint8Array }>(
    'SELECT CAST(value AS BLOB) AS value FROM value WHERE feed = ? AND key = ?',
  )
  const replaceValue = db.prepare('INSERT OR REPLACE INTO value VALUES (?, ?, ?)')

  const state = new JournalState()
  let rows = 0
  let chars = 0
  const selectEntries = 'SELECT CAST(entry AS BLOB) AS entry, crc FROM log WHERE feed = ? ORDER BY seq'
  for (const { entry, crc } of db.prepare<{ entry: Uint8Array; crc: number }>(selectEntries).all(feed)) {
    if (crc32(entry) !== crc) throw new BrokenJournal('a row does not have the checksum it was written with')
    try {
      state.apply(decodeGroup(textOf(entry)))
    } catch (error) {
      throw new BrokenJournal(reasonOf(error), { cause: error })
    }
    rows++
    chars += entry.length
  }

  let failingSinceMs: number | undefined
  let reportedAtMs = 0
  let closed = false
  let commits = 0
  const attempt = (write: () => void): boolean => {
    if (closed) return false
    try {
      write()
    } catch (error) {
      const now = clock.monotonic()
      if (failingSinceMs === undefined || now - reportedAtMs >= REPORT_AGAIN_MS) {
        reportedAtMs = now
        report({
          code: 'journal_failed',
          level: 'error',
          message: `${file}: the journal cannot be written (${reasonOf(error)}). No event starts until it can: free space on the disk, or make the file writable`,
          file,
        })
      }
      failingSinceMs ??= now
      return false
    }
    if (failingSinceMs !== undefined) {
      const seconds = Math.round((clock.monotonic() - failingSinceMs) / 1000)
      failingSinceMs = undefined
      report({ code: 'journal_recovered', level: 'info', message: `${file}: writable again after ${seconds} s`, file })
    }
    return true
  }

  const compact = (): void => {
    const entry = encodeGroup(state.snapshot())
    const done = attempt(() =>
      db.transaction(() => {
        deleteEntries.run(feed)
        insertEntry.run(feed, entry, crc32(entry))
      }),
    )
    if (!done) return
    rows = 1
    chars = entry.length
    compactAtChars = chars + COMPACT_CHARS
  }
  let compactAtChars = chars + COMPACT_CHARS

  const journal: Journal = {
    cursor: () => state.cursor,
    unfinished: () => state.unfinished,
    doneAboveCursor: () => state.done,
    bodies: () => [...state.bodies.values()].sort((a, b) => a.id - b.id),
    commit(group) {
      const entry = encodeGroup(group)
      const written = attempt(() => {
        if (!group.setAside?.length) return void insertEntry.run(feed, entry, crc32(entry))
        db.transaction(() => {
          insertEntry.run(feed, entry, crc32(entry))
          group.setAside?.forEach(aside.add)
        })
      })
      if (!written) return false
      commits++
      state.apply(group)
      chars += entry.length
      if (++rows >= COMPACT_ROWS || chars >= compactAtChars) compact()
      return true
    },
    setAside: (event, reason) => attempt(() => aside.add({ event, reason, atMs: clock.now() })),
    listSetAside: () => aside.list(),
    takeSetAside(id) {
      let event: BotEvent | undefined
      attempt(() => (event = aside.take(id)))
      return event
    },
    countSetAside: () => aside.count(),
    replayRequests: () => aside.requests(),
    dropReplayRequest: (id) => void attempt(() => aside.dropRequest(id)),
    stats: () => ({ commits, bytes: sizeOf(file), failingSinceMs }),
    getValue(key) {
      const row = selectValue.get(feed, key)
      return row && textOf(row.value)
    },
    setValue: (key, value) => attempt(() => void replaceValue.run(feed, key, value)),
    close() {
      if (closed) return
      if (rows > 1) compact()
      closed = true
      db.close()
    },
    [Symbol.dispose]: () => journal.close(),
  }
  return journal
}

function sizeOf(file: string): number {
  let bytes = 0
  for (const name of file === ':memory:' ? [] : [file, `${file}-wal`])
    bytes += statSync(name, { throwIfNoEntry: false })?.size ?? 0
  return bytes
}
