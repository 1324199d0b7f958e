// Bursts of events as one run of their handler. In the supervisor, whose queues outlive threads and code.

import type { Clock, Timer } from '@botwright/clock'
import {
  type BotEvent,
  type Delivery,
  type EventKey,
  eventKey,
  type Gathered,
  laneKey,
  Unfinished,
} from '@botwright/events'
import { eventTypes } from '@botwright/protocol/facts'
import type { Config } from '../../author/config/config.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { Log } from '../../author/ports.ts'
import type { Gathers } from '../../runtime/ports/gathers.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import { type BotDispatcher, deadLetteredOutcome } from '../../runtime/threads/dispatcher.ts'
import { type Gather, gatherOf } from '../../author/gather.ts'

export interface GatheringHost {
  clock: Clock
  log: Log
  config: Pick<Config, 'answerBots'>
  observer: Pick<Observer, 'outcome'>
  dispatcher: Pick<BotDispatcher, 'dispatch' | 'files'>
}

/** A burst with this many events runs at once. */
const MOST_EVENTS = 100
/** For a file that has reported an event, and that no longer gathers, or whose definition has not arrived yet. */
const atOnce: Gather = { quietMs: 0, maxMs: 0, per: 'user' }

/** Others go to `events/unknown.ts`. */
const known: ReadonlySet<string> = new Set(eventTypes)

/** Events that one run of a file handles. */
interface Burst {
  readonly key: string
  readonly file: string
  /** The type of its events. A burst of commands has its file, because a command has one file alone. */
  readonly kind: string
  readonly deliveries: Delivery[]
  readonly startMs: number
  readonly begins: Settled
  readonly ends: Settled
  timer?: Timer
  /** It waits for its turn. */
  isDue?: true
}

interface RunningBurst {
  readonly file: string
  readonly events: readonly BotEvent[]
}

interface Settled {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The queue of a channel. Its runs are sequential. */
interface Lane {
  readonly key: string
  readonly bursts: Map<string, Burst>
  /** Settles when all that was added has ended. Never rejects. */
  last: Promise<void>
  /** How much of that has not ended. */
  open: number
}

/** Gathers events for the files with `gather`. Other events of the channel keep their order: they end the gathering, and run after the burst. */
export class Gathering implements Gathers {
  readonly #host: GatheringHost
  readonly #lanes = new Map<string, Lane>()
  /** The files that gather an event whose other files run. */
  readonly #reported = new Map<EventKey, Set<string>>()
  /** The running bursts, by their last event. */
  readonly #running = new Map<EventKey, RunningBurst>()
  #files: ReadonlyMap<string, Gather> = new Map()
  /** All files of the bot. */
  #all = new Set<string>()
  /** The kinds of events that have files, and whether one of these files gathers. */
  readonly #kinds = new Map<string, boolean>()
  #stopped = false

  constructor(host: GatheringHost) {
    this.#host = host
  }

  update(definitions: readonly Definition[]): void {
    const gathers = definitions.flatMap((one) => {
      const gather = gatherOf(one)
      return gather ? [[one.file, gather] as const] : []
    })
    this.#files = new Map(gathers)
    this.#all = new Set(definitions.map(({ file }) => file))
    this.#kinds.clear()
    const add = (kind: string, file: string) =>
      this.#kinds.set(kind, this.#files.has(file) || this.#kinds.get(kind) === true)
    for (const { kind, name, file, aliases = [] } of definitions) {
      if (kind === 'event') add(name, file)
      if (kind === 'command') for (const word of [name.split(' ')[0]!, ...aliases]) add(`/${word}`, file)
    }
  }

  report(event: EventKey, file: string): void {
    const files = this.#reported.get(event)
    if (!files) return
    files.add(file)
    // The definitions of new code arrive after its first events.
    this.#all.add(file)
  }

  setAside(last: BotEvent, reason: string): readonly BotEvent[] {
    const { log, observer } = this.#host
    this.#reported.get(eventKey(last))?.clear()
    const burst = this.#running.get(eventKey(last))
    if (!burst) return [last]
    this.#running.delete(eventKey(last))
    for (const event of burst.events.slice(0, -1)) {
      observer.outcome?.(deadLetteredOutcome(event, burst.file, reason))
      const { id, type } = event
      log.error({ event: id }, `event ${id} (${type}) is set aside with event ${last.id}, which ended its burst`)
    }
    return burst.events
  }

  dispatch(delivery: Delivery): Promise<void | Gathered> {
    const { dispatcher } = this.#host
    const kind = this.#kindOf(delivery.event)
    const gathers = this.#kinds.get(kind)
    const key = laneKey(delivery.event)
    // An event without a file has no order.
    if (gathers === undefined || (!gathers && !this.#lanes.has(key))) return dispatcher.dispatch(delivery)
    const lane = this.#laneOf(key)
    if (gathers && kind.startsWith('/')) return this.#command(lane, delivery)
    this.#endOthers(lane, gathers ? kind : undefined)
    return this.#run(lane, () => (gathers ? this.#gather(lane, delivery, kind) : dispatcher.dispatch(delivery)))
  }

  stop(): void {
    this.#stopped = true
    for (const { bursts } of this.#lanes.values())
      for (const burst of bursts.values()) if (!burst.isDue) this.#drop(bursts, burst)
  }

  abandon(): void {
    for (const { bursts } of this.#lanes.values()) for (const { timer } of bursts.values()) timer?.cancel()
    this.#lanes.clear()
    this.#reported.clear()
    this.#running.clear()
  }

  #drop(bursts: Lane['bursts'], { key, timer, ends }: Burst): void {
    timer?.cancel()
    bursts.delete(key)
    ends.reject(new Unfinished())
  }

  /** The command of a message that is one of this bot, or the type of the event. */
  #kindOf({ type, data: { author_bot, command } }: BotEvent): string {
    if (!known.has(type)) return 'unknown'
    const mayCommand = author_bot !== true || this.#host.config.answerBots
    const isCommand = type === 'message' && mayCommand && this.#kinds.has(`/${String(command)}`)
    return isCommand ? `/${String(command)}` : type
  }

  #laneOf(key: string): Lane {
    let lane = this.#lanes.get(key)
    if (!lane) this.#lanes.set(key, (lane = { key, bursts: new Map(), last: Promise.resolve(), open: 0 }))
    return lane
  }

  /** Runs something after everything before it in its queue. */
  #run<T>(lane: Lane, run: () => Promise<T>): Promise<T> {
    lane.open++
    const result = lane.last.then(() => {
      if (this.#isAbandoned(lane)) return new Promise<never>(nothing)
      if (this.#stopped) throw new Unfinished()
      return run()
    })
    const ended = () => {
      lane.open--
      if (lane.open + lane.bursts.size === 0 && !this.#isAbandoned(lane)) this.#lanes.delete(lane.key)
    }
    lane.last = result.then(ended, ended)
    return result
  }

  #isAbandoned(lane: Lane): boolean {
    return this.#lanes.get(lane.key) !== lane
  }

  /** Ends the bursts of other kinds. */
  #endOthers(lane: Lane, kind?: string): void {
    for (const burst of lane.bursts.values()) if (burst.kind !== kind) this.#end(lane, burst)
  }

  /** Gathers a command, or runs it. Only the bot's code knows the file of one with subcommands. */
  async #command(lane: Lane, delivery: Delivery): Promise<void | Gathered> {
    const { dispatcher } = this.#host
    const { next } = await this.#run(lane, async () => {
      const [file = ''] = await dispatcher.files([delivery])
      this.#endOthers(lane, file)
      const handle = async () =>
        this.#files.has(file) ? this.#joinAll(lane, delivery, file, [file]) : dispatcher.dispatch(delivery)
      return { next: this.#run(lane, handle) }
    })
    return next
  }

  async #gather(lane: Lane, delivery: Delivery, kind: string): Promise<void | Gathered> {
    const files = await this.#filesOf(delivery)
    if (this.#isAbandoned(lane)) return new Promise<never>(nothing)
    if (files.length === 0) return undefined
    if (this.#stopped) throw new Unfinished()
    return this.#joinAll(lane, delivery, kind, files)
  }

  #joinAll(lane: Lane, delivery: Delivery, kind: string, files: readonly string[]): Gathered {
    const bursts = files.map((file) => this.#join(lane, delivery, kind, file))
    // A burst has one handler, so one of its events counts as running.
    const begun = bursts.filter(({ deliveries }) => deliveries[0] === delivery)
    return {
      begins: begun.length > 0 ? Promise.race(begun.map(({ begins }) => begins.promise)) : new Promise(nothing),
      ends: allEnded(bursts.map(({ ends }) => ends.promise)),
    }
  }

  /** The files that gather an event. Its other files run. */
  async #filesOf(delivery: Delivery): Promise<string[]> {
    const key = eventKey(delivery.event)
    const files = new Set<string>()
    this.#reported.set(key, files)
    try {
      await this.#host.dispatcher.dispatch({ ...delivery, gathers: true })
    } finally {
      this.#reported.delete(key)
    }
    return [...files]
  }

  #join(lane: Lane, delivery: Delivery, kind: string, file: string): Burst {
    const { clock } = this.#host
    const { quietMs, maxMs, per } = this.#files.get(file) ?? atOnce
    const key = `${file} ${per === 'user' ? personOf(delivery.event) : ''}`
    const nowMs = clock.monotonic()
    const former = lane.bursts.get(key)
    const burst = former ?? { key, file, kind, deliveries: [], startMs: nowMs, begins: settled(), ends: settled() }
    if (!former) lane.bursts.set(key, burst)
    burst.deliveries.push(delivery)
    const isFull = burst.deliveries.length >= MOST_EVENTS
    if (isFull) this.#remove(lane, burst)
    if (burst.isDue) return burst
    burst.timer?.cancel()
    const waitMs = Math.min(quietMs, burst.startMs + maxMs - nowMs)
    if (isFull) this.#end(lane, burst)
    else burst.timer = clock.after(waitMs, () => this.#end(lane, burst), { keepAlive: true })
    return burst
  }

  /** Later events begin another burst. */
  #remove({ bursts }: Lane, burst: Burst): void {
    if (bursts.get(burst.key) === burst) bursts.delete(burst.key)
  }

  /** Runs a burst as soon as its queue is free. Until then, or until it is full, events can join it. */
  #end(lane: Lane, burst: Burst): void {
    if (burst.isDue) return
    burst.isDue = true
    burst.timer?.cancel()
    this.#run(lane, () => this.#handle(lane, burst)).then(burst.ends.resolve, (error: unknown) => {
      this.#remove(lane, burst)
      burst.ends.reject(error)
    })
  }

  async #handle(lane: Lane, gathered: Burst): Promise<void> {
    const { file, deliveries, begins } = gathered
    this.#remove(lane, gathered)
    begins.resolve()
    // New code may no longer gather, or have the file. Other files have had the events.
    const single = this.#all.has(file) ? deliveries.map((one) => [one]) : []
    const runs = this.#files.has(file) ? [deliveries] : single
    if (runs.length === 0)
      this.#host.log.warn(
        { file },
        `${file}: removed while ${deliveries.length} events were gathered for it; they do not run`,
      )
    for (const run of runs) {
      const last = run.at(-1)!
      const events = run.map(({ event }) => event)
      const attempt = Math.max(...run.map((one) => one.attempt))
      const burst = { file, events }
      this.#running.set(eventKey(last.event), burst)
      await this.#host.dispatcher.dispatch({ ...last, attempt, burst })
      if (this.#running.delete(eventKey(last.event))) this.#reportOthers(burst)
    }
  }

  /** The bot's code has reported the outcome of the last event. */
  #reportOthers({ file, events }: RunningBurst): void {
    const { outcome } = this.#host.observer
    for (const event of events.slice(0, -1))
      outcome?.({ eventId: eventKey(event), type: event.type, file, result: 'ok' })
  }
}

function personOf({ data: { author_id, user_id } }: BotEvent): string {
  return String(author_id ?? user_id)
}

function settled(): Settled {
  let settle!: Omit<Settled, 'promise'>
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }))
  promise.catch(nothing)
  return { promise, ...settle }
}

/** Waits for all of them, then rejects as the first that has rejected. */
async function allEnded(ends: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
}

const nothing = (): void => {}
