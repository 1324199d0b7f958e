import {
  type BotEvent,
  BoundedMap,
  type Clock,
  type EventKey,
  eventKey,
  EventQueues,
  laneKey,
  Unfinished,
} from '@botwright/framework/cluster'
import type { Redis } from 'ioredis'
import { begin, type Begun, begunText, NOT_BEGUN, pardon } from '../../protocol/entries.ts'
import {
  began,
  finished,
  type Holdings,
  leave,
  mayBegin,
  newHoldings,
  observe,
  opened,
  takeAll,
  takeReleasable,
} from '../../protocol/holdings.ts'
import { ownerText } from '../../protocol/ownership.ts'
import { bestEffort } from '../redis/best-effort.ts'
import { hangUp, isAnswer } from '../redis/connect.ts'
import type { Entry, RunEntry } from './entry.ts'
import { checkJson, eventSchema } from '../redis/from-redis.ts'
import { readBegunOf, readOwnership } from './ownership-store.ts'
import { BLOCK_MS, type EntryRow, PartitionReader } from './partition-reader.ts'
import type { Location } from '../redis/location.ts'
import { type Commit, commit, pardonEntries, release, wake } from './protocol-scripts.ts'
import { wait, within } from '../redis/wait.ts'

/** The engine's view of its instance. */
interface EngineHooks {
  /** Runs one entry. It counts as finished when this settles; it rejects only with `Unfinished`. */
  run: RunEntry
  /** A click was read, with the time of its turn. */
  click(event: BotEvent, turnAtMs: number): void
  /** An entry is finished, and Redis has noted it. */
  ended(entry: Entry): void
  /** The ownership may have changed. */
  changed(): void
  /** Redis reports that other instances may have taken over these entries. */
  fenced(): void
  malformed(kind: string, fault: string): void
  error(error: unknown): void
}

export interface EngineOptions extends Location {
  clock: Clock
  /** The instance's id, and the key of its lease. */
  instance: string
  lease: string
  hooks: EngineHooks
}

/** Events that run at once, as in a single process. */
const MAX_RUNNING = 256
/** Nothing more is read while more entries than this wait here; the leader stops polling long before. */
const MAX_BUFFERED = 20_000
/** Redis loses a second of ends or less, when it starts anew or a replica is promoted. */
const ENDS_KEPT = 10_000
/** Entries in one commit: Lua limits the arguments of one command. */
const MAX_COMMITTED = 1000
const RETRY_MS = 50
const ANSWER_MS = 4000
const GIVE_BACK_MS = 1000

interface Partition {
  readonly owner: string
  /** How often entries had begun when the partition was opened. */
  begun: Map<string, Begun>
  /** Entries that were read and are not finished. */
  readonly entries: Map<string, Entry>
}

/**
 * One life of an instance: the queues of a single process, over the partitions that it owns. All that starts and ends between two
 * replies of Redis goes into one commit; handlers start after its reply.
 */
export class Engine {
  readonly #o: EngineOptions
  readonly #holdings: Holdings
  readonly #partitions = new Map<number, Partition>()
  readonly #queues: EventQueues<Entry>
  readonly #reader: PartitionReader
  readonly #connection: Redis
  /** Entries to finish with the next commit; malformed ones have no `Entry`. */
  #ended: { partition: number; entryId: string; entry?: Entry }[] = []
  /** The events of entries that ended here, by partition and entry. If Redis loses an end, the entry is there again, behind later ones. */
  readonly #ends = new BoundedMap<string, EventKey>(ENDS_KEPT)
  readonly #running = new Set<Entry>()
  #committing = false
  #commits = 0
  /** Entries that have given up because of the stop. Others run them again. */
  #unfinished = 0
  #over = false
  #idle: (() => void)[] = []
  #room: (() => void) | undefined

  constructor(options: EngineOptions) {
    this.#o = options
    const { link, keys, instance, hooks, clock } = options
    this.#holdings = newHoldings(instance)
    this.#queues = new EventQueues(
      (...ended) => this.#onSettled(...ended),
      () => this.#commitSoon(),
    )
    // A connection that was cut silently must not block its partitions for ever.
    this.#connection = link.another(`reads ${instance}`, { socketTimeout: BLOCK_MS + ANSWER_MS })
    this.#reader = new PartitionReader({
      ...{ redis: this.#connection, keys, clock },
      changed: () => this.#changed(),
      rows: (partition, rows) => this.#take(partition, rows),
      room: () => this.#whenRoom(),
      error: (error) => hooks.error(error),
    })
  }

  /** Events that run here. */
  get running(): number {
    return this.#running.size
  }

  start(): void {
    this.#reader.start()
  }

  /** Redis was started anew and may have lost its last second: reads everything again. */
  reread(): void {
    this.#reader.reread()
    const { link, keys } = this.#o
    // Ends the blocking read.
    void bestEffort(link.run(wake, [keys.changes]))
  }

  /** Begins nothing more. Once the leader can see that this instance leaves, releases each partition in which nothing runs. */
  leave(announced: Promise<unknown>): void {
    if (this.#over) return
    leave(this.#holdings)
    this.#closeReleasing()
    void announced.then(() => this.#release(takeReleasable(this.#holdings)))
  }

  /** Resolves when nothing runs here, at the latest after `ms`. */
  async idle(ms: number): Promise<void> {
    if (this.#isIdle()) return
    await new Promise<void>((resolve) => {
      const timer = this.#o.clock.after(ms, resolve, { keepAlive: true })
      this.#idle.push(() => (timer.cancel(), resolve()))
    })
  }

  /** From now on no entry begins, and no end is committed. */
  stop(): void {
    this.#over = true
    this.#reader.stop()
    this.#room?.()
  }

  /** After `stop`, when all handlers have stopped: notes that their entries ended without fault, and releases all partitions. */
  async giveBack(): Promise<void> {
    const { link, keys, clock } = this.#o
    const entries = Array.from(this.#running, ({ partition, entryId, begun }) => ({
      partition,
      entry: entryId,
      from: begunText(begun),
      to: begunText(pardon(begun)),
    }))
    this.#running.clear()
    const released = takeAll(this.#holdings)
    const work = async () => {
      if (entries.length > 0) await pardonEntries(link.redis, keys, entries)
      if (released.length > 0) await release(link.redis, keys, released)
    }
    // Without an answer they count as crashes, and the leader takes the partitions over.
    await within(clock, GIVE_BACK_MS, bestEffort(work()))
    hangUp(this.#connection)
  }

  // The ownership.

  async #changed(): Promise<void> {
    const { link, keys, instance, hooks } = this.#o
    hooks.changed()
    while (!this.#over)
      try {
        const ownership = await readOwnership(link, keys)
        const { open, release: due, fenced } = observe(this.#holdings, ownership)
        if (this.#over) return
        if (fenced) return hooks.fenced()
        this.#closeReleasing()
        await this.#release(due)
        if (open.length > 0) {
          const begun = await readBegunOf(link, keys, open)
          for (const [at, partition] of open.entries()) {
            const holding = this.#holdings.held.get(partition)
            // This instance leaves, and has released it meanwhile.
            if (!holding) continue
            const owner = ownerText({ instance, epoch: holding.epoch })
            this.#partitions.set(partition, { owner, begun: begun[at]!, entries: new Map() })
            opened(this.#holdings, partition)
            this.#reader.open(partition)
          }
        }
        return this.#commitSoon()
      } catch (error) {
        if (this.#over) return
        if (isAnswer(error)) hooks.error(error)
        // Partitions that could not be opened are opened again.
        for (const [partition, { phase }] of this.#holdings.held)
          if (phase === 'opening') this.#holdings.held.delete(partition)
        await wait(this.#o.clock, RETRY_MS)
      }
  }

  async #release(due: { partition: number; owner: string }[]): Promise<void> {
    if (due.length === 0) return
    for (const { partition } of due) this.#forget(partition)
    const { link, keys, hooks, clock } = this.#o
    while (!this.#over)
      try {
        await release(link.redis, keys, due)
        return
      } catch (error) {
        if (isAnswer(error)) hooks.error(error)
        await wait(clock, RETRY_MS)
      }
  }

  #closeReleasing(): void {
    for (const [partition, { phase }] of this.#holdings.held) if (phase === 'releasing') this.#reader.close(partition)
  }

  #forget(partition: number): void {
    this.#reader.close(partition)
    this.#partitions.delete(partition)
  }

  // From rows to queues.

  #take(number: number, rows: readonly EntryRow[]): void {
    const partition = this.#partitions.get(number)
    if (!partition || this.#over) return
    for (const { entryId, text, turnAtMs, asked, seenBefore } of rows) {
      if (partition.entries.has(entryId)) continue
      const { value: event, fault } = checkJson(eventSchema, text)
      if (fault !== undefined) {
        this.#o.hooks.malformed('event', `${fault}; it does not run`)
        began(this.#holdings, number)
        this.#ended.push({ partition: number, entryId })
        continue
      }
      const former = partition.begun.get(entryId) ?? NOT_BEGUN
      partition.begun.delete(entryId)
      const { owner } = partition
      const begun = begin(former, seenBefore)
      const place = { partition: number, owner, entryId }
      const entry: Entry = { event, attempt: begun.attempts, asked, ...place, begun, phase: 'waiting' }
      partition.entries.set(entryId, entry)
      if (seenBefore && this.#ends.get(endOf(entry)) === eventKey(entry.event)) {
        began(this.#holdings, number)
        this.#ended.push({ partition: number, entryId, entry })
        continue
      }
      if (turnAtMs !== undefined) this.#o.hooks.click(event, turnAtMs)
      this.#queues.push(laneKey(event), entry)
    }
    this.#commitSoon()
  }

  async #whenRoom(): Promise<void> {
    while (!this.#over && this.#queues.waiting > MAX_BUFFERED)
      await new Promise<void>((resolve) => (this.#room = resolve))
  }

  /** The partition may have moved since the entry was read. */
  #isCurrent({ partition, owner }: Entry): boolean {
    return this.#partitions.get(partition)?.owner === owner && mayBegin(this.#holdings, partition)
  }

  // Begin, run, finish.

  #commitSoon(): void {
    if (this.#committing || this.#over) return
    this.#committing = true
    setImmediate(() => void this.#commitAll())
  }

  async #commitAll(): Promise<void> {
    while (!this.#over) {
      const ended = this.#ended.splice(0, MAX_COMMITTED)
      const ready = this.#takeReady()
      if (ended.length === 0 && ready.length === 0) break
      const starting = ready.map(({ current }) => current!)
      for (const { partition } of starting) began(this.#holdings, partition)
      if (!(await this.#commit(ended, starting))) return
      this.#onEnded(ended)
      for (const queue of ready) this.#queues.start(queue, this.#run)
      if (this.#room && this.#queues.waiting <= MAX_BUFFERED / 2) {
        this.#room()
        this.#room = undefined
      }
      // Ends and starts of this turn of the loop go into the next commit.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    this.#committing = false
  }

  /** The queues whose next entry may begin. Entries of partitions that have moved leave their queues. */
  #takeReady() {
    const queues = this.#queues
    const ready = []
    for (;;) {
      const some = queues.takeReady(Math.min(MAX_RUNNING - queues.running - ready.length, MAX_COMMITTED))
      if (some.length === 0) return ready
      for (const queue of some) {
        const entry = queue.current!
        if (this.#isCurrent(entry)) ready.push(queue)
        else {
          entry.phase = 'dropped'
          queues.start(queue, () => undefined)
        }
      }
    }
  }

  /** False: this life is over. */
  async #commit(ended: { partition: number; entryId: string }[], starting: readonly Entry[]): Promise<boolean> {
    const { link, keys, instance, lease, hooks, clock } = this.#o
    const parts = new Map<number, Commit & { begin: object[]; finish: string[] }>()
    const partOf = (partition: number) => {
      let part = parts.get(partition)
      if (!part) {
        const { owner } = this.#partitions.get(partition)!
        parts.set(partition, (part = { partition, owner, begin: [], finish: [] }))
      }
      return part
    }
    for (const { partition, entryId } of ended) partOf(partition).finish.push(entryId)
    for (const { partition, entryId, begun } of starting)
      partOf(partition).begin.push({ entry: entryId, begun: begunText(begun) })
    const partitions = [...parts.values()]
    const number = ++this.#commits
    while (!this.#over)
      try {
        if ((await commit(link.redis, keys, { instance, lease, number, partitions })) === 1) return !this.#over
        if (!this.#over) hooks.fenced()
        return false
      } catch (error) {
        // It may have been done: the same commit again changes nothing.
        if (isAnswer(error)) hooks.error(error)
        await wait(clock, RETRY_MS)
      }
    return false
  }

  readonly #run: RunEntry = (entry) => {
    entry.phase = 'begun'
    this.#running.add(entry)
    return this.#o.hooks.run(entry)
  }

  #onSettled(entry: Entry, error: unknown): void {
    if (entry.phase === 'dropped') return
    if (error instanceof Unfinished) return (this.#unfinished++, this.#onEnded([]))
    if (error !== undefined) this.#o.hooks.error(error)
    if (this.#over) return
    this.#running.delete(entry)
    this.#ended.push({ partition: entry.partition, entryId: entry.entryId, entry })
    this.#commitSoon()
  }

  #onEnded(ended: readonly { partition: number; entryId: string; entry?: Entry }[]): void {
    let releasable = false
    for (const { partition, entryId, entry } of ended) {
      this.#partitions.get(partition)?.entries.delete(entryId)
      this.#reader.finished(partition, entryId)
      if (finished(this.#holdings, partition)) releasable = true
      if (!entry) continue
      this.#ends.set(endOf(entry), eventKey(entry.event))
      this.#o.hooks.ended(entry)
    }
    if (releasable) void this.#release(takeReleasable(this.#holdings))
    if (this.#idle.length > 0 && this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #isIdle(): boolean {
    let open = -this.#unfinished
    for (const { unfinished } of this.#holdings.held.values()) open += unfinished
    return open <= 0
  }
}

const endOf = ({ partition, entryId }: Entry): string => `${partition} ${entryId}`
