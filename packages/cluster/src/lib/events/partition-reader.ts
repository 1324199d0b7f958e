import type { Clock } from '@botwright/framework/cluster'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { wait } from '../redis/wait.ts'

/** An entry of a stream, as Redis returns it. */
export interface EntryRow {
  entryId: string
  text: string
  turnAtMs?: number
  asked: boolean
  /** It was read before, and Redis has lost what was written since. */
  seenBefore: boolean
}

export interface PartitionReaderOptions {
  /** A connection of its own: its commands block. */
  redis: Redis
  keys: Keys
  clock: Clock
  /** Instances must look at the ownership again. Nothing is read until it resolves. */
  changed(): Promise<void>
  rows(partition: number, rows: readonly EntryRow[]): void
  /** Resolves when more may be read. */
  room(): Promise<void>
  error(error: unknown): void
}

type Rows = [id: string, fields: string[] | null][]
/** A map in RESP 3, which arrives as a flat list; a list of pairs in RESP 2. */
type Reply = (string | Rows | [key: string, rows: Rows])[] | null

interface Cursor {
  partition: number
  after: string
  /** After a loss of data: the last entry that was read before, and what has finished since. */
  again: { upTo: string; finished: Set<string> } | undefined
}

/** A read without an entry ends after this time. */
export const BLOCK_MS = 5000
/** Of each partition, in one reply. */
const AT_ONCE = 128
const RETRY_MS = 100
const START = '0-0'

/** Reads the streams of own partitions, and the stream of changes, with one blocking command. */
export class PartitionReader {
  readonly #o: PartitionReaderOptions
  readonly #cursors = new Map<string, Cursor>()
  #lastChange = START
  #stopped = false

  constructor(options: PartitionReaderOptions) {
    this.#o = options
  }

  start(): void {
    void this.#loop()
  }

  stop(): void {
    this.#stopped = true
  }

  /** Reads a partition from its first entry. */
  open(partition: number): void {
    this.#cursors.set(this.#o.keys.events(partition), { partition, after: START, again: undefined })
  }

  close(partition: number): void {
    this.#cursors.delete(this.#o.keys.events(partition))
  }

  /** Redis may have lost what was written last: reads all that is there again. */
  reread(): void {
    this.#lastChange = START
    for (const cursor of this.#cursors.values()) {
      const former = cursor.again?.upTo ?? START
      cursor.again = { upTo: isAfter(cursor.after, former) ? cursor.after : former, finished: new Set() }
      cursor.after = START
    }
  }

  /** The entry is removed; a read that is under way may still return it. */
  finished(partition: number, entryId: string): void {
    this.#cursors.get(this.#o.keys.events(partition))?.again?.finished.add(entryId)
  }

  async #loop(): Promise<void> {
    const { redis, keys, clock } = this.#o
    while (!this.#stopped)
      try {
        await this.#o.room()
        if (this.#stopped) return
        const asked = [...this.#cursors].map(([name, cursor]) => ({ name, cursor, from: cursor.after }))
        const names = [keys.changes, ...asked.map(({ name }) => name)]
        const from = [this.#lastChange, ...asked.map((one) => one.from)]
        const reply = (await redis.call('XREAD', [
          ...['COUNT', AT_ONCE, 'BLOCK', BLOCK_MS, 'STREAMS'],
          ...names,
          ...from,
        ])) as Reply
        if (this.#stopped) return
        const found = rowsByKey(reply)
        for (const { name, cursor, from: fromId } of asked) {
          // Meanwhile the partition may have been closed, or is to be read again from its start.
          if (this.#cursors.get(name) !== cursor || cursor.after !== fromId) continue
          const rows = found.get(name)
          if (rows) this.#advance(cursor, rows)
          // Everything that was there is read again.
          if (cursor.again && (!rows || isAfter(cursor.after, cursor.again.upTo))) cursor.again = undefined
        }
        const change = found.get(keys.changes)?.at(-1)?.[0]
        if (change === undefined) continue
        this.#lastChange = change
        await this.#o.changed()
      } catch (reason) {
        if (this.#stopped) return
        // The connection waits for Redis by itself; anything else is reported.
        if (redis.status === 'ready') this.#o.error(reason)
        await wait(clock, RETRY_MS)
      }
  }

  #advance(cursor: Cursor, found: Rows): void {
    const { again } = cursor
    const rows: EntryRow[] = []
    for (const [entryId, fields] of found) {
      cursor.after = entryId
      if (again?.finished.has(entryId)) continue
      let text = ''
      let turnAtMs: number | undefined
      let asked = false
      for (let at = 0; at < (fields?.length ?? 0); at += 2) {
        const value = fields![at + 1]!
        if (fields![at] === 'e') text = value
        else if (fields![at] === 'c') turnAtMs = Number(value)
        else if (fields![at] === 'r') asked = true
      }
      const seenBefore = again !== undefined && !isAfter(entryId, again.upTo)
      rows.push({ entryId, text, asked, seenBefore, ...(Number.isSafeInteger(turnAtMs) && { turnAtMs: turnAtMs! }) })
    }
    if (rows.length > 0) this.#o.rows(cursor.partition, rows)
  }
}

function rowsByKey(reply: Reply): Map<string, Rows> {
  if (reply === null) return new Map()
  if (typeof reply[0] !== 'string') return new Map(reply as [string, Rows][])
  const found = new Map<string, Rows>()
  for (let at = 0; at < reply.length; at += 2) found.set(reply[at] as string, reply[at + 1] as Rows)
  return found
}

/** Whether an entry's id, `<ms>-<n>`, is after another one. */
function isAfter(a: string, b: string): boolean {
  const [ams = 0, an = 0] = a.split('-').map(Number)
  const [bms = 0, bn = 0] = b.split('-').map(Number)
  return ams > bms || (ams === bms && an > bn)
}
