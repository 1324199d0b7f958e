// The world of a simulation: virtual time, a seeded random generator, Redis as a model, the service's events, and what handlers did.
// Nothing here waits or reads a real clock: the same seed gives the same trace.

import { SeededRandom, Timeline } from '@botwright/clock/simulated'
import * as clicks from '../protocol/clicks.ts'
import * as entries from '../protocol/entries.ts'
import * as holdings from '../protocol/holdings.ts'
import * as model from '../protocol/model.ts'
import * as ownership from '../protocol/ownership.ts'

/** The decisions that a simulation drives. A test replaces one of them to plant a fault. */
export const protocol = {
  ...clicks,
  ...entries,
  ...holdings,
  ...model,
  ...ownership,
  /** The feed's position after the first `published` of all polled ids, which are in order. */
  positionAfter: (polled: readonly number[], published: number): number => polled[published - 1] ?? 0,
  /** Whether an instance holds its lease for certain, so long after it sent the last renewal. */
  isSure: (sinceRenewalMs: number): boolean => sinceRenewalMs < LEASE_MS - MARGIN_MS,
}
export type Protocol = typeof protocol

/** An event of the simulated service. Events of one queue run one after the other. */
export interface SimEvent {
  id: number
  queue: number
  atMs: number
  /** How long its handler runs. */
  handlerMs: number
  /** When a click's handler answers, after its start; undefined: never. Other events have no click. */
  click?: { answerAfterMs: number | undefined }
  /** Its handler crashes the instance. */
  poison: boolean
}

/** One run of an event's handler. */
export interface Run {
  event: SimEvent
  instance: string
  attempts: number
  number: number
}

/** The record of one event: what the service and its users saw. */
interface Seen {
  runs: number
  /** The handler came to its end, or the event was set aside. */
  done: boolean
  /** The lives of instances that have begun it, as Redis has noted. */
  begunBy: Set<string>
  acks: number[]
  answered: boolean
  /** The first acknowledgement or answer. */
  respondedAtMs: number | undefined
}

export const LEASE_MS = 3000
export const MARGIN_MS = 500
export const PARTITIONS = 4
export const HANDLER_ATTEMPTS = 3
const QUEUES = 6
const EVENTS = 40

export class World {
  readonly p: Protocol
  readonly redis = model.newModel()
  /** When the lease of each instance ends. */
  readonly leaseEnds = new Map<string, number>()
  readonly notes = new Map<string, { left: boolean; leaving: boolean }>()
  leader: { holder: string; endsAtMs: number } | undefined
  redisUp = true
  readonly events: SimEvent[] = []
  readonly seen = new Map<number, Seen>()
  readonly violations: string[] = []
  readonly trace: string[] = []
  /** Times of crashes, pauses, outages and delayed packets. */
  readonly disturbedAtMs: number[] = []
  readonly graceful: boolean
  readonly #random: SeededRandom
  readonly #timeline = new Timeline()

  constructor(seed: number, { protocol: p, graceful }: { protocol: Protocol; graceful: boolean }) {
    this.p = p
    this.graceful = graceful
    this.#random = new SeededRandom(seed)
    for (let id = 1; id <= EVENTS; id++) {
      const isClick = this.chance(0.25)
      this.events.push({
        id,
        queue: this.int(QUEUES),
        atMs: 200 + this.int(15_000),
        handlerMs: this.chance(0.1) ? 3000 + this.int(2000) : 5 + this.int(600),
        ...(isClick && { click: { answerAfterMs: this.chance(0.6) ? this.int(2500) : undefined } }),
        poison: !graceful && this.chance(0.01),
      })
    }
    this.events.sort((a, b) => a.atMs - b.atMs)
    for (const [i, event] of this.events.entries()) event.id = i + 1
    for (const { id } of this.events)
      this.seen.set(id, {
        runs: 0,
        done: false,
        begunBy: new Set(),
        acks: [],
        answered: false,
        respondedAtMs: undefined,
      })
  }

  /** From 0 to below `end`. */
  int(end: number): number {
    return this.#random.int(end)
  }

  chance(share: number): boolean {
    return this.#random.chance(share)
  }

  note(text: string): void {
    this.trace.push(`${this.nowMs} ${text}`)
  }

  fail(text: string): void {
    this.note(`VIOLATION ${text}`)
    this.violations.push(text)
  }

  disturbed(what: string): void {
    this.disturbedAtMs.push(this.nowMs)
    this.note(what)
  }

  get nowMs(): number {
    return this.#timeline.nowMs
  }

  at(ms: number, work: () => void): void {
    this.#timeline.at(ms, work)
  }

  after(ms: number, work: () => void): void {
    this.#timeline.after(ms, work)
  }

  /** Runs until `untilMs`, or until `stop` holds. */
  run(untilMs: number, stop: () => boolean = () => false): void {
    const timeline = this.#timeline
    while ((timeline.nextMs ?? Infinity) <= untilMs && !stop()) timeline.step()
    if (timeline.nowMs < untilMs && !stop()) timeline.nowMs = untilMs
  }

  /** The model with the present time and leases, as a script sees it. */
  script(): model.Model {
    this.redis.nowMs = this.nowMs
    this.redis.leases = new Set([...this.leaseEnds].flatMap(([id, endsAtMs]) => (endsAtMs > this.nowMs ? [id] : [])))
    return this.redis
  }

  /** The service's feed. */
  poll(after: number): SimEvent[] {
    return this.events.filter(({ id, atMs }) => id > after && atMs <= this.nowMs).slice(0, 10)
  }

  // Effects of handlers.

  /** A handler starts, and its first effect leaves. */
  starts(event: SimEvent, instance: string, attempts: number): Run {
    const seen = this.seen.get(event.id)!
    const run: Run = { event, instance, attempts, number: ++seen.runs }
    this.note(`${instance} runs ${event.id} (attempt ${attempts})`)
    if (run.number > 1 && attempts === 1) this.fail(`event ${event.id} is repeated without a mark`)
    if (run.number > 1 && this.graceful) this.fail(`event ${event.id} is repeated although nothing failed`)
    for (const other of this.events) {
      if (other.queue !== event.queue || other.id === event.id) continue
      const { done, runs } = this.seen.get(other.id)!
      if (other.id < event.id && !done) this.fail(`event ${event.id} runs before ${other.id} has ended`)
      if (other.id > event.id && runs > 0) this.fail(`event ${event.id} runs after ${other.id} has begun`)
    }
    return run
  }

  /** A further effect of a run leaves. */
  effect(run: Run, what: string): void {
    const { event, instance, number } = run
    this.note(`${instance} ${what} ${event.id}`)
    if (this.seen.get(event.id)!.runs !== number) this.fail(`event ${event.id} has two owners`)
  }

  ends(run: Run): void {
    this.effect(run, 'ends')
    this.seen.get(run.event.id)!.done = true
  }

  setAside(event: SimEvent, crashes: number): void {
    this.note(`${event.id} is set aside`)
    const seen = this.seen.get(event.id)!
    const interrupted = seen.begunBy.size - 1
    if (Math.min(crashes, interrupted) < HANDLER_ATTEMPTS)
      this.fail(`event ${event.id} is set aside for ${crashes} crashes, after ${interrupted} interruptions`)
    seen.done = true
  }

  responded(id: number, how: 'ack' | 'answer', instance: string): void {
    this.note(`${instance} sends ${how} ${id}`)
    const seen = this.seen.get(id)!
    seen.respondedAtMs ??= this.nowMs
    if (how === 'answer') seen.answered = true
    else seen.acks.push(this.nowMs)
  }
}
