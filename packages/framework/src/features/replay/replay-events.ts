import { AsyncLocalStorage } from 'node:async_hooks'
import { systemClock, VirtualClock } from '@botwright/clock'
import { endsWithin } from '@botwright/clock/timers'
import { type Delivery, type EventKey, eventKey } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'
import { codeOf } from '../../author/error-code.ts'
import { LONGEST_MS } from '../../author/gather.ts'
import type { Bot, BotHost } from '../../bot/host.ts'
import { Disposal } from '../../bot/dispose/disposal.ts'
import { codeSettings, loadLayered } from '../../bot/load/load-layered.ts'
import type { BotSource, Outbox, Outcome } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { HistoryRedactor, secretsOfEnv } from '../../link/redaction.ts'
import type { RecordedCall, RecordedEvent } from '../history/recorded-event.ts'
import type { GatheringHost } from '../gather/gathering.ts'
import { gathering } from '../runtime-features.ts'

/** The result of rerunning a recorded event. */
export interface ReplayedEvent {
  /** The recorded event. */
  event: RecordedEvent
  /** `skipped`: it was not run, for the reason in `error`. The others are as in `RecordedEvent`. */
  result: RecordedEvent['result'] | 'skipped'
  file?: string
  error?: string
  /** The line of the bot's own code that threw, or the file alone. */
  at?: string
  calls: readonly RecordedCall[]
  /** The `seq` of the event whose handler ran for its burst, if it is another one. */
  ranWith?: number
}

/** The dependencies of a replay. */
export interface ReplayEnvironment {
  me: BotProfile
  store: StateStore
  outbox?: Outbox
  log: Log
  env: Variables
  /** Creates the call to the service. `current` returns the running event. */
  call: (current: () => RecordedEvent | undefined) => Call
  /** Advanced to the time of each event. Default: real time. */
  clock?: VirtualClock
  /** Whether it must change nothing: `ctx.dry` of resources. */
  dry?: boolean
  /** The reason for skipping an event; undefined to run it. */
  refuse?: (event: RecordedEvent) => string | undefined
}

interface ReplayRun {
  event: RecordedEvent
  calls: RecordedCall[]
  outcome?: Outcome
  handled: boolean
  /** How many of its handlers have not ended, and whether its burst has not. */
  open: number
  /** It timed out. Later calls are not recorded. */
  late: boolean
  skipped?: string
  ranWith?: number
}

type Replayed = AsyncGenerator<ReplayedEvent, void, undefined>

/** After the last event, handlers that still wait are abandoned after this time without a call. */
const LAST_WAIT_MS = 1000
const LONGEST_TEXT = 1_000_000

/**
 * Runs recorded events through a bot's code in order, with its configuration and middleware, and yields the results in the same order.
 * Rejects if the code does not load.
 */
export async function* replayEvents(
  events: readonly RecordedEvent[],
  { source, config }: { source: BotSource; config: Config },
  environment: ReplayEnvironment,
): Replayed {
  const disposal = new Disposal(source, environment.log)
  try {
    yield* new Replay(environment, config).results(events, source, disposal)
  } finally {
    await disposal.dispose()
  }
}

/** The runs of recorded events. */
class Replay {
  readonly #environment: ReplayEnvironment
  readonly #config: Config
  readonly #scope = new AsyncLocalStorage<ReplayRun>()
  // The recording contains no secrets, so remove them here too. Otherwise the calls would differ.
  readonly #clean: HistoryRedactor
  readonly #parks = new Map<EventKey, () => void>()
  readonly #byEvent = new Map<EventKey, ReplayRun>()
  #lastCallMs = 0

  constructor(environment: ReplayEnvironment, config: Config) {
    this.#environment = environment
    this.#config = config
    this.#clean = new HistoryRedactor(secretsOfEnv(environment.env))
  }

  async *results(events: readonly RecordedEvent[], source: BotSource, disposal: Disposal): Replayed {
    const config = this.#config
    const { me, store, outbox, log, clock, dry = false, refuse } = this.#environment
    const host: BotHost = {
      ...{ log, me, store, clock: clock ?? systemClock, call: this.#recordingCall() },
      ...(outbox && { outbox }),
      ...codeSettings(config),
      park: (eventId) => this.#parks.get(eventId)?.(),
      gathers: (eventId, file) => bursts?.report(eventId, file),
      observe: (outcome) => this.#observe(outcome),
    }
    // Without layers: a replay should not create spans.
    const bot = await loadLayered(source, host, {})
    await bot.open?.(disposal, { dry })
    // In a real rerun, too, the recorded times decide which events are a burst.
    const times = clock ?? new VirtualClock(events[0]?.atMs)
    const dispatch = (delivery: Delivery) => this.#handle(bot, delivery)
    const bursts = await openBursts(bot, { clock: times, config, log, dispatch })
    const runs: ReplayRun[] = []
    const ends: Promise<void>[] = []
    for (const event of events) {
      const run: ReplayRun = { event, calls: [], handled: true, open: 0, late: false }
      runs.push(run)
      const why = !event.data || event.data['isLong'] === true ? 'it was too long to record' : refuse?.(event)
      if (why !== undefined) run.skipped = why
      else {
        await times.advance(Math.max(0, event.atMs - times.now()))
        const delivery = deliveryOf(event)
        this.#byEvent.set(eventKey(event), run)
        run.handled = bot.handlerOf(delivery) !== undefined
        const gathered = await (bursts?.dispatch(delivery) ?? dispatch(delivery))
        if (gathered) {
          run.open++
          ends.push(gathered.ends.finally(() => run.open--))
        }
      }
      while (runs[0] && !isOpen(runs[0])) yield toReplayed(runs.shift()!)
    }
    if (ends.length > 0) await times.advance(LONGEST_MS)
    await Promise.all(ends)
    await this.#letEnd(runs)
    for (const run of runs) yield toReplayed(run)
  }

  #recordingCall(): Call {
    const call = this.#environment.call(() => this.#scope.getStore()?.event)
    return (name, input, options) => {
      const run = this.#scope.getStore()
      const startedMs = (this.#lastCallMs = systemClock.monotonic())
      const record = (more: Partial<RecordedCall>) => {
        this.#lastCallMs = systemClock.monotonic()
        if (run && !run.late)
          run.calls.push({ name, input: asRecorded(this.#clean, input), ms: this.#lastCallMs - startedMs, ...more })
      }
      return call(name, input, options).then(
        (value) => (record({}), value),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error)
          record({ code: codeOf(error) ?? 'ERR_HANDLER', error: this.#clean.text(message) })
          throw error
        },
      )
    }
  }

  #observe(outcome: Outcome): void {
    const run = this.#scope.getStore()
    const { error } = outcome
    if (run && !run.late)
      run.outcome = error ? { ...outcome, error: { ...error, message: this.#clean.text(error.message) } } : outcome
  }

  /** Settles when the handlers have ended, wait for a user, or are late. */
  async #handle(bot: Bot, delivery: Delivery): Promise<void> {
    const seconds = this.#config.limits.handlerSeconds
    const key = eventKey(delivery.event)
    const run = this.#byEvent.get(key)!
    run.open++
    for (const event of delivery.burst?.events.slice(0, -1) ?? [])
      this.#byEvent.get(eventKey(event))!.ranWith = run.event.seq
    const running = this.#scope.run(run, () => Promise.resolve(bot.handle(delivery)))
    void running.finally(() => run.open--).catch(nothing)
    const parked = new Promise<void>((resolve) => this.#parks.set(key, resolve))
    // In real time, because handlers may wait for real events such as a `fetch`.
    if (await endsWithin(systemClock, seconds * 1000, Promise.race([running, parked]).catch(nothing))) return
    const at = bot.handlerOf(delivery) ?? 'a handler'
    const error = { message: `did not end within ${seconds} s`, at, reference: '' }
    run.outcome = { eventId: key, type: delivery.event.type, file: at, result: 'timed_out', error }
    await this.#scope.run(run, () => bot.apologize(delivery, 'took_too_long'))
    run.late = true
  }

  /** Lets handlers that still wait for an event time out. */
  async #letEnd(runs: readonly ReplayRun[]): Promise<void> {
    await this.#environment.clock?.advance(this.#config.limits.handlerSeconds * 1000 + 1)
    this.#lastCallMs = systemClock.monotonic()
    while (runs.some(isOpen) && systemClock.monotonic() - this.#lastCallMs < LAST_WAIT_MS) await pause(10)
  }
}

/** Gathers as the bot does, if a file gathers. */
async function openBursts(
  bot: Bot,
  {
    dispatch,
    ...host
  }: Pick<GatheringHost, 'clock' | 'config' | 'log'> & Pick<GatheringHost['dispatcher'], 'dispatch'>,
) {
  const files = async (all: readonly Delivery[]) => all.map((delivery) => bot.handlerOf(delivery))
  const bursts = await gathering({ ...host, observer: {}, dispatcher: { dispatch, files } }, bot.definitions)
  bursts?.update(bot.definitions)
  return bursts
}

const isOpen = ({ late, open }: ReplayRun): boolean => !late && open > 0

const nothing = (): void => {}

/** Tokens of clicks are not recorded. They expire after 15 minutes anyway. */
function deliveryOf({ id, era = 0, type, created_at, data }: RecordedEvent): Delivery {
  const whole = type === 'interaction' ? { ...data, token: 'replayed' } : { ...data }
  return { event: { id, era, type, created_at, data: whole }, attempt: 1 }
}

const asRecorded = (clean: HistoryRedactor, input: unknown): unknown => {
  const text = clean.json(input, LONGEST_TEXT)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

function toReplayed(run: ReplayRun): ReplayedEvent {
  const { event, calls, outcome, handled, ranWith, skipped } = run
  if (skipped !== undefined) return { event, calls, result: 'skipped', error: skipped }
  const result = isOpen(run) ? 'unfinished' : (outcome?.result ?? (handled ? 'ok' : 'none'))
  return {
    event,
    calls,
    result,
    ...(outcome?.file !== undefined && { file: outcome.file }),
    ...(outcome?.error && { error: outcome.error.message }),
    ...(outcome?.error && outcome.error.at !== '' && { at: outcome.error.at }),
    ...(ranWith !== undefined && { ranWith }),
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => systemClock.after(ms, resolve, { keepAlive: true }))
