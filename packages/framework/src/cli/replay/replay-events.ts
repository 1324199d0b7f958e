import { AsyncLocalStorage } from 'node:async_hooks'
import { systemClock, type Timer, type VirtualClock } from '@botwright/clock'
import { Delivery } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import { codeOf } from '../../author/error-code.ts'
import { codeSettings, loadBot } from '../../bot/load-bot.ts'
import type { BotSource, Outbox, Outcome } from '../../link/ports.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { HistoryRedactor, secretsOfEnv } from '../../link/redaction.ts'
import type { RecordedCall, RecordedEvent } from '../../runtime/recording/history.ts'

/** What became of a recorded event when it ran again. */
export interface ReplayedEvent {
  /** As it was recorded. */
  event: RecordedEvent
  /** `skipped`: it was not run, and `error` tells why; the others as for `RecordedEvent`. */
  result: RecordedEvent['result'] | 'skipped'
  file?: string
  error?: string
  calls: readonly RecordedCall[]
}

/** Where events run again. */
export interface ReplayStage {
  me: BotProfile
  store: StateStore
  outbox?: Outbox
  log: Log
  /** Makes the way to the service, which may ask for the event that is running. */
  call: (current: () => RecordedEvent | undefined) => Call
  /** Moved to the time of each event; without one it is now. */
  clock?: VirtualClock
  /** Why an event is not run; undefined when it is. */
  refuse?: (event: RecordedEvent) => string | undefined
}

interface ReplayRun {
  event: RecordedEvent
  calls: RecordedCall[]
  outcome?: Outcome
  handled: boolean
  open: boolean
  /** Its time was over: what it still does belongs to no answer. */
  late: boolean
  skipped?: string
}

/** What waits for somebody when the last event has run is given up after so long without a call. */
const LAST_WAIT_MS = 1000
const LONGEST_TEXT = 1_000_000

/**
 * Runs recorded events through a bot's code, in their order, with its configuration and middleware. Gives them back in the same order.
 * Rejects with what the code throws while it loads.
 */
export async function* replayEvents(
  events: readonly RecordedEvent[],
  { source, config }: { source: BotSource; config: Config },
  stage: ReplayStage,
): AsyncGenerator<ReplayedEvent, void, undefined> {
  const { me, store, outbox, log, clock, refuse } = stage
  const scope = new AsyncLocalStorage<ReplayRun>()
  // What was recorded holds no secret either: else each answer with one would differ.
  const clean = new HistoryRedactor(secretsOfEnv(process.env))
  const call = stage.call(() => scope.getStore()?.event)
  let lastCallMs = 0
  const noted = ((name: string, input: unknown, options: object) => {
    const run = scope.getStore()
    const startedMs = (lastCallMs = systemClock.monotonic())
    const note = (more: Partial<RecordedCall>) => {
      lastCallMs = systemClock.monotonic()
      if (run && !run.late) run.calls.push({ name, input: asKept(clean, input), ms: lastCallMs - startedMs, ...more })
    }
    return (call as unknown as (...given: unknown[]) => Promise<unknown>)(name, input, options).then(
      (value) => (note({}), value),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        note({ code: codeOf(error) ?? 'ERR_HANDLER', error: clean.text(message) })
        throw error
      },
    )
  }) as unknown as Call
  const parks = new Map<number, () => void>()
  const { handlerSeconds } = config.limits
  const bot = await loadBot(source, {
    call: noted,
    clock: clock ?? systemClock,
    log,
    me,
    store,
    ...(outbox && { outbox }),
    ...codeSettings(config),
    // Nothing happens here that a collector of spans should count.
    tracing: false,
    park: (eventId) => parks.get(eventId)?.(),
    observe: (outcome) => {
      const run = scope.getStore()
      const { error } = outcome
      if (run && !run.late)
        run.outcome = error ? { ...outcome, error: { ...error, message: clean.text(error.message) } } : outcome
    },
  })
  const waiting: ReplayRun[] = []
  for (const event of events) {
    const run: ReplayRun = { event, calls: [], handled: true, open: true, late: false }
    waiting.push(run)
    const why = event.data === undefined ? 'it was too long to record' : refuse?.(event)
    if (why !== undefined) {
      run.skipped = why
      run.open = false
    } else {
      await clock?.advance(Math.max(0, event.atMs - clock.now()))
      const delivery = deliveryOf(event)
      run.handled = bot.handlerOf(delivery) !== undefined
      const running = scope.run(run, () => Promise.resolve(bot.handle(delivery)))
      void running.finally(() => (run.open = false)).catch(() => {})
      const parked = new Promise<void>((resolve) => parks.set(event.id, resolve))
      if (!(await endsWithin(handlerSeconds * 1000, running, parked))) {
        const at = bot.handlerOf(delivery) ?? 'a handler'
        const error = { message: `did not end within ${handlerSeconds} s`, at, reference: '' }
        run.outcome = { eventId: event.id, type: event.type, file: at, result: 'timed_out', error }
        await scope.run(run, () => bot.apologize(delivery, 'took_too_long'))
        run.late = true
        run.open = false
      }
    }
    while (waiting[0] && !waiting[0].open) yield toReplayed(waiting.shift()!)
  }
  // What still waits for an event that never came runs into its own limit.
  await clock?.advance(handlerSeconds * 1000 + 1)
  lastCallMs = systemClock.monotonic()
  while (waiting.some((run) => run.open) && systemClock.monotonic() - lastCallMs < LAST_WAIT_MS) await pause(10)
  for (const run of waiting) yield toReplayed(run)
}

/** A click's token is not kept; a real one would be of no use after 15 minutes either. */
const deliveryOf = ({ id, type, created_at, data }: RecordedEvent): Delivery =>
  new Delivery({ id, type, created_at, data: type === 'interaction' ? { ...data, token: 'replayed' } : { ...data } }, 1)

const asKept = (clean: HistoryRedactor, input: unknown): unknown => {
  const text = clean.json(input, LONGEST_TEXT)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

function toReplayed({ event, calls, outcome, handled, open, skipped }: ReplayRun): ReplayedEvent {
  if (skipped !== undefined) return { event, calls, result: 'skipped', error: skipped }
  const result = open ? 'unfinished' : (outcome?.result ?? (handled ? 'ok' : 'none'))
  return {
    event,
    calls,
    result,
    ...(outcome?.file !== undefined && { file: outcome.file }),
    ...(outcome?.error && { error: outcome.error.message }),
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => systemClock.after(ms, resolve, { keepAlive: true }))

/** Whether one of them ends in this time, which is real: a handler may wait for what no clock of a replay moves, such as a `fetch`. */
async function endsWithin(ms: number, ...endings: Promise<unknown>[]): Promise<boolean> {
  let timer: Timer | undefined
  const late = new Promise<false>((resolve) => {
    timer = systemClock.after(ms, () => resolve(false), { keepAlive: true })
  })
  const ended = Promise.race(endings).then(
    () => true,
    () => true,
  )
  return Promise.race([ended, late]).finally(() => timer?.cancel())
}
