import { statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Clock } from '@botwright/clock'
import { CommitSync, type Database, type DatabaseError, type openDatabase, type Statement } from '@botwright/sqlite'
import { type BotEvent, type EventKey, readEventKey } from './bot-event.ts'
import { BrokenJournal, openJournalFile } from './journal-file.ts'
import { type Cursor, decodeGroup, encodeGroup, type Group, JournalState } from './journal-log.ts'
import { type Report, reasonOf } from './report.ts'
import { type SetAside, SetAsideTable, textOf } from './set-aside.ts'

/** The location and the owner of a journal. */
export interface JournalOptions {
  /** Path of the journal's own SQLite file (its folders are created), or `:memory:`. */
  file: string
  /** The base URL and the bot id identify the feed inside the file. The token does not: it can change. */
  baseUrl: string
  botId: string
  clock: Clock
  /** Receives an entry about a broken file, failing writes (at once, then once a minute), and recovery. */
  report?: Report
  openDatabase?: typeof openDatabase | undefined
}

/** Counts of a journal. */
export interface JournalStats {
  /** Groups written since it was opened. */
  commits: number
  /** The size of the file and of SQLite's log beside it. */
  bytes: number
  /** The monotonic time since which it has not been writable. */
  failingSinceMs: number | undefined
  /** Why, and what to do about it. */
  failure?: { reason: string; fix: string }
}

/** The durable state of one feed. Only `close`, and reading a list or a value, can throw because of the disk. */
export interface Journal extends Disposable {
  /** The saved cursor; undefined on the first start, or if the file was broken. */
  cursor(): Cursor | undefined
  /** Events that started but did not finish, with the number of the last attempt. */
  unfinished(): ReadonlyMap<EventKey, number>
  /** Events above the cursor that are finished. */
  doneAboveCursor(): ReadonlySet<EventKey>
  /** Unfinished events from the webhook, in order of era and id. */
  bodies(): BotEvent[]
  /** Those of `bodies` that run again because their replay was requested. */
  replayed(): ReadonlySet<EventKey>
  /** Writes a group; `replayed` events are no longer set aside. Returns false if the write failed: the failure is reported, and nothing has changed, so try again. */
  commit(group: Group & { setAside?: readonly SetAside[] }): boolean
  /** Sets an event aside. Returns false if the write failed. */
  setAside(event: BotEvent, reason: string): boolean
  listSetAside(): SetAside[]
  /** The number of events that are set aside; while the disk cannot be read, as of the last time. */
  countSetAside(): number
  /** Ids of events that another process asked to replay (`openSetAside`). */
  replayRequests(): number[]
  /** Removes a request, whether or not the replay succeeded. */
  dropReplayRequest(id: number): void
  stats(): JournalStats
  /** A small value kept beside the log, such as the send times of the message budget. */
  getValue(key: string): string | undefined
  /** Returns false if the write failed. */
  setValue(key: string, value: string): boolean
  close(): void
}

/** At this number of rows or characters, one row replaces the log. */
const COMPACT_ROWS = 256
const COMPACT_CHARS = 1_000_000
const REPORT_AGAIN_MS = 60_000

/**
 * Opens the journal: one row per group of events, compacted regularly. A killed process loses
 * nothing; a power failure may lose the commits of one second (`CommitSync`), whose events then run again.
 * @throws DatabaseError if the file cannot be opened or written, or if a later release wrote it
 */
export function openJournal(options: JournalOptions): Journal {
  const { file, clock, report = () => {}, openDatabase } = options
  return openJournalFile({ file, clock, report, openDatabase }, (db) => load(db, options))
}

function load(db: Database, options: JournalOptions): Journal {
  const { file, baseUrl, botId, clock } = options
  db.prepare('INSERT OR IGNORE INTO feed (base_url, bot_id) VALUES (?, ?)').run(baseUrl, botId)
  const row = db.prepare<{ id: number }>('SELECT id FROM feed WHERE base_url = ? AND bot_id = ?').get(baseUrl, botId)
  const feed = row!.id
  const aside = new SetAsideTable(db, feed)
  const log = new Log(db, feed, aside, options)
  const selectValue = db.prepare<{ value: Uint8Array }>(
    'SELECT CAST(value AS BLOB) AS value FROM value WHERE feed = ? AND key = ?',
  )
  const replaceValue = db.prepare('INSERT OR REPLACE INTO value VALUES (?, ?, ?)')
  const { state } = log
  let known = 0
  return {
    cursor: () => state.cursor,
    unfinished: () => state.unfinished,
    doneAboveCursor: () => state.done,
    bodies: () => [...state.bodies.values()].sort((a, b) => (a.era ?? 0) - (b.era ?? 0) || a.id - b.id),
    replayed: () => state.replayed,
    commit: (group) => log.commit(group),
    setAside: (event, reason) => log.attempt(() => aside.add({ event, reason, atMs: clock.now() })),
    listSetAside: () => aside.list(),
    countSetAside() {
      try {
        known = aside.count()
      } catch {
        // Writes report the disk.
      }
      return known
    },
    replayRequests: () => aside.requests(),
    dropReplayRequest: (id) => void log.attempt(() => aside.dropRequest(id)),
    stats: () => ({
      commits: log.commits,
      bytes: sizeOf(file),
      failingSinceMs: log.failingSinceMs,
      ...(log.failure && { failure: log.failure }),
    }),
    getValue(key) {
      const row = selectValue.get(feed, key)
      return row && textOf(row.value)
    },
    setValue: (key, value) => log.attempt(() => void replaceValue.run(feed, key, value)),
    close: () => log.close(),
    [Symbol.dispose]: () => log.close(),
  }
}

/** The log of one feed in an open database: its rows, and the writes of the journal. */
class Log {
  readonly state = new JournalState()
  commits = 0
  failingSinceMs: number | undefined
  failure: JournalStats['failure']
  readonly #db: Database
  readonly #sync: CommitSync
  readonly #feed: number
  readonly #aside: SetAsideTable
  readonly #options: JournalOptions
  readonly #insertEntry: Statement
  readonly #deleteEntries: Statement
  #rows = 0
  #chars = 0
  #compactAtChars: number
  #reportedAtMs = 0
  #closed = false

  /** @throws BrokenJournal if a row is damaged */
  constructor(db: Database, feed: number, aside: SetAsideTable, options: JournalOptions) {
    this.#db = db
    this.#sync = new CommitSync(db, options.clock)
    this.#feed = feed
    this.#aside = aside
    this.#options = options
    this.#insertEntry = db.prepare('INSERT INTO log (feed, entry, crc) VALUES (?, ?, ?)')
    this.#deleteEntries = db.prepare('DELETE FROM log WHERE feed = ?')
    this.#read()
    this.#compactAtChars = this.#chars + COMPACT_CHARS
  }

  /** See `Journal.commit`. */
  commit(group: Group & { setAside?: readonly SetAside[] }): boolean {
    const entry = encodeGroup(group)
    // Without a position, the next process would begin with new events.
    const mustStay = group.reset || (group.cursor !== undefined && this.state.cursor === undefined)
    const written = this.attempt(() => {
      if (!group.setAside?.length && !group.replayed?.length) return this.#insert(entry)
      this.#db.transaction(() => {
        this.#insert(entry)
        group.setAside?.forEach(this.#aside.add)
        group.replayed?.forEach((key) => this.#aside.remove(readEventKey(key)!))
      })
    }, mustStay)
    if (!written) return false
    this.commits++
    this.state.apply(group)
    this.#chars += entry.length
    if (++this.#rows >= COMPACT_ROWS || this.#chars >= this.#compactAtChars) this.#compact()
    return true
  }

  /** Returns whether the write worked. Reports failures, and the first write that works again. `mustStay`: a power failure must not undo it. */
  attempt(write: () => void, mustStay?: boolean): boolean {
    if (this.#closed) return false
    const { file, clock, report = () => {} } = this.#options
    try {
      this.#sync.next(mustStay)
      write()
      this.#sync.changed()
    } catch (error) {
      const now = clock.monotonic()
      const reason = reasonOf(error)
      const fix = databaseFix(error)
      this.failure = { reason, fix }
      if (this.failingSinceMs === undefined || now - this.#reportedAtMs >= REPORT_AGAIN_MS) {
        this.#reportedAtMs = now
        report({
          code: 'journal_failed',
          level: 'error',
          message: `${file}: the journal cannot be written (${reason}). No event starts until it is writable: ${fix}`,
          file,
        })
      }
      this.failingSinceMs ??= now
      return false
    }
    if (this.failingSinceMs !== undefined) {
      const seconds = Math.round((clock.monotonic() - this.failingSinceMs) / 1000)
      this.failingSinceMs = undefined
      this.failure = undefined
      report({ code: 'journal_recovered', level: 'info', message: `${file}: writable again after ${seconds} s`, file })
    }
    return true
  }

  close(): void {
    if (this.#closed) return
    if (this.#rows > 1) this.#compact()
    this.#closed = true
    this.#sync.close()
    this.#db.close()
  }

  #read(): void {
    const select = 'SELECT CAST(entry AS BLOB) AS entry, crc FROM log WHERE feed = ? ORDER BY seq'
    for (const { entry, crc } of this.#db.prepare<{ entry: Uint8Array; crc: number }>(select).all(this.#feed)) {
      if (crc32(entry) !== crc) throw new BrokenJournal('a row does not have the checksum it was written with')
      try {
        this.state.apply(decodeGroup(textOf(entry)))
      } catch (error) {
        throw new BrokenJournal(reasonOf(error), { cause: error })
      }
      this.#rows++
      this.#chars += entry.length
    }
  }

  #insert(entry: string): void {
    this.#insertEntry.run(this.#feed, entry, crc32(entry))
  }

  /** Replaces all rows by one. */
  #compact(): void {
    const entry = encodeGroup(this.state.snapshot())
    const done = this.attempt(() =>
      this.#db.transaction(() => {
        this.#deleteEntries.run(this.#feed)
        this.#insert(entry)
      }),
    )
    if (!done) return
    this.#rows = 1
    this.#chars = entry.length
    this.#compactAtChars = this.#chars + COMPACT_CHARS
  }
}

function sizeOf(file: string): number {
  let bytes = 0
  for (const name of file === ':memory:' ? [] : [file, `${file}-wal`])
    bytes += statSync(name, { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

/** What to do about a database that cannot be written. */
function databaseFix(error: unknown): string {
  switch ((error as Partial<DatabaseError> | null)?.code) {
    case 'busy':
      return 'end the other program that has the database locked, such as a backup or sqlite3'
    case 'full':
      return 'free some disk space'
    case 'readonly':
    case 'open':
      return 'fix the permissions of the file and its folder'
    case 'corrupt':
      return 'the file is damaged: restart the bot, which moves it aside'
    case 'memory':
      return 'give the bot more memory'
    default:
      return "free disk space, or fix the file's permissions"
  }
}
