import { AsyncLocalStorage } from 'node:async_hooks'
import { preciseTime } from '@botwright/clock'
import type { LinkedStep, StepEntry } from '../../link/recorded-step.ts'

/** More steps of one run are not recorded. */
const MOST_STEPS = 300

/** One run of a handler. */
interface EventRun {
  readonly eventId: number
  steps: number
}

type New<S> = S extends LinkedStep ? Omit<S, 't'> & { t?: number } : never

/** A step without its time, which is now. */
export type NewStep = New<LinkedStep>

/**
 * Tracks the event of the running handler across awaits, and collects its steps. Created only for recorded bots, because it slows down
 * every await.
 */
export class EventScope {
  readonly #current = new AsyncLocalStorage<EventRun>()
  readonly #send: (entries: readonly StepEntry[]) => void
  #entries: StepEntry[] = []
  #flushing: NodeJS.Immediate | undefined
  /** The current time, as steps record it: the machine's, because the clock of a test advances only on request. */
  readonly now = preciseTime

  constructor(send: (entries: readonly StepEntry[]) => void) {
    this.#send = send
  }

  /** The event of the running handler; undefined outside handlers. */
  get eventId(): number | undefined {
    return this.#current.getStore()?.eventId
  }

  run<T>(eventId: number, work: () => T): T {
    return this.#current.run({ eventId, steps: 0 }, work)
  }

  /** Records a moment of the running handler, or a step that has ended. */
  note(step: NewStep): void {
    this.begin(step)
  }

  /** Records a step of the running handler; returns the function that ends it. */
  begin(given: NewStep): () => void {
    const run = this.#current.getStore()
    // Tasks have no event.
    if (!run || run.eventId <= 0 || run.steps >= MOST_STEPS) return nothing
    const step = given as LinkedStep
    step.t ??= this.now()
    const entry: StepEntry = [run.eventId, run.steps++, step]
    this.#add(entry)
    const entries = this.#entries
    return () => {
      step.ms = this.now() - step.t
      if (this.#entries !== entries) this.#add(entry)
    }
  }

  /** Sends the collected steps now instead of at the end of this turn. */
  flush(): void {
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    const entries = this.#entries
    if (entries.length === 0) return
    this.#entries = []
    this.#send(entries)
  }

  #add(entry: StepEntry): void {
    this.#entries.push(entry)
    this.#flushing ??= setImmediate(() => this.flush())
  }
}

const nothing = (): void => {}
