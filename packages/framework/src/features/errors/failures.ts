import { type Clock, elapsedOf, systemClock } from '@botwright/clock'
import { endsWithin } from '@botwright/clock/timers'
import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import type { Failure, FailureKind } from './failure.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { Log } from '../../author/ports.ts'
import type { Outcome, Result } from '../../link/ports.ts'
import type { ObservedBot } from '../../runtime/ports/bot-facts.ts'
import type { Observer, Unrun } from '../../runtime/ports/observer.ts'
import { failureDelivery, type FailureFacts, isFailure } from './failure-event.ts'

/** Further failures of a minute are counted, and left out. */
const MOST_A_MINUTE = 60
const MINUTE_MS = 60_000
/** Failures that wait while the files of the event `error` work. Further ones are left out. */
const MOST_WAITING = 100
/** How long a bot that stops waits for the files. */
const STOP_MS = 5000

const kinds: Readonly<Partial<Record<Result, FailureKind>>> = {
  error: 'handler',
  timed_out: 'timeout',
  crashed: 'crash',
  dead_lettered: 'set_aside',
}

interface FailuresOptions {
  clock: Clock
  log: Log
  /** Hides secrets in a text. */
  hide: (text: string) => string
}

/** Brings each failure of a bot to the files of its event `error`, one at a time. Their own failures are only logged. */
export class Failures implements Observer {
  readonly #options: FailuresOptions
  #bot: ObservedBot | undefined
  #waiting: FailureFacts[] = []
  #working: Promise<void> | undefined
  #omitted = 0
  /** The times of the failures of the last minute. */
  #times: number[] = []
  /** The code whose files have ended their thread in each attempt. */
  #off: readonly Definition[] | undefined

  constructor(options: FailuresOptions) {
    this.#options = options
  }

  began(bot: ObservedBot): void {
    this.#bot = bot
  }

  outcome(outcome: Outcome): void {
    const { result, error, file, type, eventId } = outcome
    // The failures of the files of `error` are only logged.
    if (isFailure(outcome)) return
    const kind = kinds[result]
    if (kind && error) this.#take(kind, { file, type, eventId, ...(outcome.again && { again: true }) }, error)
  }

  unrun({ event }: Delivery, { result, message, file }: Unrun): void {
    if (result !== 'dead_lettered') return
    const error = { message, at: '', reference: '' }
    const take = (known?: string) =>
      this.#take('set_aside', { file: known, type: event.type, eventId: eventKey(event) }, error)
    // The code may be closed before it knows its file.
    void file().then(take, () => take())
  }

  /** The files get what has failed until now. */
  async ended(): Promise<void> {
    if (this.#working) await endsWithin(systemClock, STOP_MS, this.#working)
  }

  /** `eventId`: negative for work of the bot's own. */
  #take(
    kind: FailureKind,
    { file, type, eventId, again }: { file: string | undefined; type: string; eventId: EventKey; again?: true },
    { at, name, code, stack, message, reference }: NonNullable<Outcome['error']>,
  ): void {
    const definitions = this.#bot?.definitions() ?? []
    if (!definitions.some(isErrorFile) || this.#off === definitions) return
    if (this.#waiting.length >= MOST_WAITING || !this.#isInTime()) return void this.#omitted++
    const definition = definitions.find((one) => one.file === file)
    const own = kind === 'handler' && definition ? kindOf(definition) : kind
    const line = Number(/:(\d+)$/.exec(at)?.[1])
    const hide = (text: string) => this.#options.hide(text)
    const failure: Failure = {
      kind: own,
      ...(file !== undefined && { file }),
      ...(line > 0 && { line }),
      ...(!(typeof eventId === 'number' && eventId < 0) && { type, eventId }),
      ...(reference !== '' && { reference }),
      ...((again || kind === 'crash') && { again: true }),
      omitted: this.#omitted,
    }
    const error = {
      message: hide(message),
      ...(name !== undefined && { name }),
      ...(code !== undefined && { code }),
      stack: hide(stack ?? `${name ?? 'Error'}: ${message}${at === '' ? '' : `\n    at ${at}`}`),
    }
    this.#omitted = 0
    this.#waiting.push({ failure, error })
    this.#working ??= this.#work().finally(() => (this.#working = undefined))
  }

  #isInTime(): boolean {
    const nowMs = elapsedOf(this.#options.clock).monotonic()
    this.#times = this.#times.filter((atMs) => atMs > nowMs - MINUTE_MS)
    return this.#times.length < MOST_A_MINUTE && this.#times.push(nowMs) > 0
  }

  async #work(): Promise<void> {
    // The person is answered first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const delivery = failureDelivery(next, this.#options.clock.now())
      const running = this.#bot!.dispatch(delivery, ({ isFinal }) => isFinal && this.#switchOff())
      // Its thread was abandoned, or the bot's code is closed: no file is left to receive it.
      await running.catch(() => {})
    }
  }

  #switchOff(): void {
    const { definitions } = this.#bot!
    this.#off = definitions()
    this.#waiting = []
    const file = this.#off
      .filter(isErrorFile)
      .map((one) => one.file)
      .join(', ')
    const text = `ended its thread again and again; it gets no failures until its code is replaced`
    this.#options.log.error({ code: 'ERR_HANDLER', file }, `${file}: ${text}`)
  }
}

/** The kind of the failure of a file that threw. */
function kindOf({ kind, durable }: Definition): FailureKind {
  if (kind === 'task' || kind === 'route') return kind
  return durable ? 'durable_run' : 'handler'
}

const isErrorFile = ({ kind, name }: Definition): boolean => kind === 'event' && name === 'error'
