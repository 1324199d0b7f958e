import type { Outcome } from '@botwright/framework'
import { type BotEvent, type EventKey, eventKey } from '@botwright/events'
import type { Incident } from './plan.ts'
import type { SimRequest } from './sim-network.ts'

/** A line of the bot's log. */
export interface SimLine {
  atMs: number
  process: number
  level: string
  msg: string
  code?: string
  /** The whole line. */
  text: string
  facts: Readonly<Record<string, unknown>>
}

/** An event that reached the bot. */
export interface SimEvent {
  event: BotEvent
  heard: { atMs: number; process: number }[]
  outcomes: { atMs: number; process: number; result: Outcome['result'] }[]
}

/** One process of the bot. */
export interface SimLife {
  number: number
  startedAtMs: number
  readyAtMs?: number
  endedAtMs?: number
  how?: 'killed' | 'stopped' | 'failed'
}

/** A request of another program to a route of the bot, which it repeats until it has a response. */
export interface SimHook {
  number: number
  /** The path, the key of the queue, and the id that its copies share. */
  path: string
  key: string
  id?: string
  isForged?: boolean
  /** Each copy that reached a process, and the response that reached the sender. */
  tries: { atMs: number; process: number; status?: number; gotAtMs?: number }[]
}

/** After this time, no answer to another click is still under way. */
const LATE_MS = 25_000
/** By then, a process has done what its former one has left. */
const EARLY_MS = 5000
/** Commits of the journal are synced once a second, with the next one. */
const SYNC_MS = 2000
/** The time around a disturbance in which the bot may be late: a poll that gets no response blocks it for this long. */
const BEFORE_MS = 45_000

/** All that happened in a run, for the rules. */
export class SimRecord {
  readonly lines: SimLine[] = []
  readonly requests: (SimRequest & { answeredAtMs: number })[] = []
  readonly events = new Map<EventKey, SimEvent>()
  readonly lives: SimLife[] = []
  readonly hooks: SimHook[] = []
  /** The changes of the switches by operators. `off`: undefined if that is not known. */
  readonly switches: { name: string; off: boolean | undefined; atMs: number }[] = []
  readonly incidents: { incident: Incident; fromMs: number; toMs: number }[] = []
  /** Tokens of clicks. */
  readonly secrets = new Set<string>()
  /** How many events all processes have skipped. */
  skipped = 0

  heard(event: BotEvent, at: { atMs: number; process: number }): void {
    const key = eventKey(event)
    const known = this.events.get(key)
    if (known) known.heard.push(at)
    else this.events.set(key, { event, heard: [at], outcomes: [] })
    if (event.type === 'interaction') this.secrets.add(String(event.data['token']))
  }

  /** Whether no fault of such a kind could have an effect in this time. Clocks that jump, and code that is loaded again, must change nothing. */
  isCalm(fromMs: number, toMs: number, harmless: readonly Incident['kind'][] = ['clock', 'reload']): boolean {
    const isDisturbed = this.incidents.some(
      (one) => !harmless.includes(one.incident.kind) && one.fromMs < toMs && one.toMs > fromMs - BEFORE_MS,
    )
    return !isDisturbed && this.isUp(fromMs, toMs)
  }

  /** Whether only answers to clicks were disturbed, and no longer at the time of the automatic ack of a click that was made at this time. */
  isAcked(atMs: number, ackMs: number): boolean {
    const harmless = ({ incident, fromMs, toMs }: SimRecord['incidents'][number]) =>
      incident.kind === 'http' &&
      (incident.paths === '/messages' ||
        (incident.paths === '/callback' && (fromMs > atMs - ackMs || toMs < atMs - LATE_MS) && toMs < atMs + ackMs))
    const others = new SimRecord()
    others.incidents.push(...this.incidents.filter((one) => !harmless(one)))
    others.lives.push(...this.lives)
    return others.isCalm(atMs, atMs + 2 * ackMs)
  }

  /** Whether one process ran and was ready all the time. */
  isUp(fromMs: number, toMs: number): boolean {
    return this.lives.some(({ readyAtMs = Infinity, endedAtMs = Infinity }) => readyAtMs <= fromMs && endedAtMs >= toMs)
  }

  /** Whether a process became ready in this time. */
  wasReady(fromMs: number, toMs: number): boolean {
    return this.lives.some(({ readyAtMs = Infinity }) => readyAtMs > fromMs && readyAtMs < toMs)
  }

  /** Whether a process has ended. */
  isOver(number: number): boolean {
    return this.lives.some((life) => life.number === number && life.endedAtMs !== undefined)
  }

  wasReadyAtAll(number: number): boolean {
    return this.lives.some((life) => life.number === number && life.readyAtMs !== undefined)
  }

  /** When a process ended. */
  endOf(number: number): number {
    return this.lives.find((life) => life.number === number)?.endedAtMs ?? Infinity
  }

  /** Whether a process has ended soon after its start. */
  endedEarly(fromMs: number): boolean {
    return this.lives.some(
      ({ startedAtMs, endedAtMs = Infinity }) => startedAtMs > fromMs && endedAtMs < startedAtMs + EARLY_MS,
    )
  }

  /** Whether a process ended in this time. */
  ended(fromMs: number, toMs: number): boolean {
    return this.lives.some(({ endedAtMs = Infinity }) => endedAtMs >= fromMs && endedAtMs <= toMs)
  }

  /** Whether the response to a poll has arrived in this time. */
  wasPolled(fromMs: number, toMs: number): boolean {
    return this.requests.some(
      ({ path, status, receivedAtMs = Infinity }) =>
        path.startsWith('/v1/events') && status === 200 && receivedAtMs > fromMs && receivedAtMs <= toMs,
    )
  }

  /** Whether the power has failed. */
  get lostPower(): boolean {
    return this.incidents.some(({ incident }) => 'power' in incident)
  }

  /** Whether a power failure may have undone what the journal had stored then: it loses the commits of one second, the last ones. */
  mayBeUndone({ atMs, process }: { atMs: number; process: number }): boolean {
    if (!this.lostPower || !this.isOver(process)) return false
    const isLater = (one: SimLine) =>
      one.process === process && one.msg === 'begins' && one.atMs > atMs + SYNC_MS && one.atMs < this.endOf(process)
    return !this.lines.some(isLater)
  }

  /** Whether the ids of events started again while the bot was away, and had passed its position when it was back: nothing shows that. */
  hasHiddenReset(untilMs = Infinity): boolean {
    return this.incidents.some(({ incident, fromMs }, at) => {
      if (incident.kind !== 'renumber' || fromMs > untilMs) return false
      const next = this.incidents.slice(at + 1).find((one) => one.incident.kind === 'renumber')?.fromMs ?? Infinity
      const endMs = Math.min(next, untilMs)
      return !this.lines.some(({ code, atMs }) => code === 'feed_reset' && atMs >= fromMs && atMs <= endMs)
    })
  }

  /** How far the clock of the host went back and forth. */
  get clockSpanMs(): number {
    let skewMs = 0
    const skews = this.incidents.map(({ incident }) => (skewMs += incident.kind === 'clock' ? incident.byMs : 0))
    return Math.max(0, ...skews) - Math.min(0, ...skews)
  }

  /** Whether writes of a file could fail in this time. */
  isUnwritable(file: string, fromMs: number, toMs: number): boolean {
    return this.incidents.some(
      ({ incident: one, ...time }) =>
        one.kind === 'disk' &&
        one.use === 'write' &&
        (one.file === undefined || one.file === file) &&
        time.fromMs < toMs &&
        time.toMs > fromMs,
    )
  }

  happened(kind: Incident['kind'], fromMs = 0, toMs = Infinity): boolean {
    return this.incidents.some((one) => one.incident.kind === kind && one.fromMs < toMs && one.toMs > fromMs)
  }
}
