import { AsyncLocalStorage } from 'node:async_hooks'
import { preciseTime } from '@botwright/clock'
import type { BotEvent, EventKey } from '@botwright/events/event'
import type { NearSubcommand, Unanswered } from '@botwright/protocol/timeline'
import type { DurableRun, EndWait } from '../../../bot/layer.ts'
import { currentLine } from '../../../link/errors/source-line.ts'
import {
  type RecordedStep,
  type StepHead,
  stepHead,
  type StepMessage,
  type StepReports,
} from '../../../link/recorded-step.ts'

/** More steps of one run are not recorded. */
const MOST_STEPS = 300

/** A step that has begun. */
interface OpenStep {
  readonly n: number
  /** Its JSON without its duration. */
  readonly json: string
  readonly startedUs: number
  us: number | undefined
  unanswered?: Unanswered | undefined
  sent: boolean
}

/** One run of a handler. */
interface EventRun {
  readonly eventId: EventKey
  readonly startedMs: number
  steps: number
  matched: boolean
  long: boolean
  begins: boolean
  unsent: OpenStep[]
  readonly repeats: DurableRun['repeats'] | undefined
}

/** A step of a durable run that continues from its record. */
type ContinuedStep = Extract<NewStep, { kind: 'continued' }>

/** The dependencies of a scope. */
interface ScopeHost extends StepReports {
  /** The folder of the bot. */
  root: string
}

type New<S> = S extends RecordedStep ? Omit<S, 't' | 'ms'> & { t?: number; ms?: number } : never

/** A step without its time, which is now. */
export type NewStep = New<RecordedStep>

/** The facts of a step besides its JSON. */
interface StepFacts {
  /** When it began, in milliseconds since 1970. Default: now. */
  t?: number | undefined
  /** How long it took, in milliseconds. */
  ms?: number | undefined
  /** It contains a `LongValue`. */
  long?: boolean
  /** A file has matched the event. */
  matched?: boolean
}

/**
 * Tracks the event of the running handler across awaits, and collects its steps. Created only for recorded bots, because it slows down
 * every await.
 */
export class EventScope {
  readonly #current = new AsyncLocalStorage<EventRun>()
  readonly #host: ScopeHost
  readonly #matched = new Map<string, StepHead>()
  /** Runs with steps that are not sent. */
  #runs: EventRun[] = []
  /** The current time, as steps record it: the machine's, because the clock of a test advances only on request. */
  readonly now = preciseTime

  constructor(host: ScopeHost) {
    this.#host = host
  }

  /** The line of the bot's own code that runs, or waits for this call. `file`: the file of the handler. */
  lineOf(file: string): string {
    return currentLine(this.#host.root, file) ?? file
  }

  /** The event of the running handler; undefined outside handlers. */
  get eventId(): EventKey | undefined {
    return this.#current.getStore()?.eventId
  }

  run<T>(eventId: EventKey, work: () => T, repeats?: DurableRun['repeats']): T {
    const flags = { matched: false, long: false, begins: true }
    return this.#current.run({ eventId, startedMs: this.now(), steps: 0, ...flags, unsent: [], repeats }, work)
  }

  /** Records that a durable run continues from its record, with the event that began it: another process may have received it. */
  continues(step: ContinuedStep, event: BotEvent): void {
    this.#host.continues(event, this.#current.getStore()!.startedMs)
    this.#add(stepHead(step), {}, true)
  }

  /** Records that a file handles the event. */
  matched(file: string, near?: NearSubcommand): void {
    let head = near ? stepHead({ kind: 'matched', file, near }) : this.#matched.get(file)
    if (head === undefined) this.#matched.set(file, (head = stepHead({ kind: 'matched', file })))
    const run = this.#add(head, {})?.run
    if (run) run.matched = true
  }

  /** Records a moment of the running handler, or a step that has ended. */
  note({ t, ms, ...step }: NewStep): void {
    // A gathered event has matched: its outcome follows when its burst has ended.
    const matched = step.kind === 'unmatched' && step.reason === 'gathered'
    this.noteHead(stepHead(step), { t, ms, matched })
  }

  /** Records a step whose JSON is known. */
  noteHead(head: StepHead, facts: StepFacts = {}): void {
    const run = this.#add(head, facts)?.run
    if (!run) return
    run.long ||= facts.long === true
    run.matched ||= facts.matched === true
  }

  /** Records a step of the running handler; returns the function that ends it. */
  begin(step: StepHead | NewStep, { long }: Pick<StepFacts, 'long'> = {}): EndWait {
    const added = typeof step === 'string' ? this.#add(step, {}) : this.#beginNew(step)
    if (!added) return nothing
    const { run, step: open } = added
    if (long) run.long = true
    return (unanswered) => {
      open.unanswered = unanswered
      open.us = microseconds(this.now() - run.startedMs) - open.startedUs
      if (open.sent) this.#push(run, open)
    }
  }

  /** Sends the collected steps now instead of at the end of this turn. */
  flush(): void {
    const runs = this.#runs
    if (runs.length === 0) return
    this.#runs = []
    const message: StepMessage[number][] = []
    for (const run of runs) {
      const { eventId, startedMs, begins, matched, long } = run
      message.push(eventId, startedMs, begins, matched, long, jsonOf(run.unsent))
      run.begins = run.long = false
      run.unsent = []
    }
    this.#host.send(message)
  }

  #beginNew({ t, ms, ...step }: NewStep): { run: EventRun; step: OpenStep } | undefined {
    const isAgain = step.kind === 'wait' && this.#current.getStore()?.repeats?.() === 'open'
    return this.#add(stepHead(isAgain ? { ...step, again: true } : step), { t, ms }, isAgain)
  }

  /** `repeated`: also if the code repeats the record of a durable run. */
  #add(
    head: StepHead,
    { t = this.now(), ms }: StepFacts,
    repeated = false,
  ): { run: EventRun; step: OpenStep } | undefined {
    const run = this.#current.getStore()
    // Tasks have no event.
    if (!run || isOfTask(run.eventId) || run.steps >= MOST_STEPS) return undefined
    if (!repeated && run.repeats && run.repeats() !== false) return undefined
    const startedUs = microseconds(t - run.startedMs)
    const us = ms === undefined ? undefined : microseconds(ms)
    const step = { n: run.steps++, json: `${head},"r":${startedUs}`, startedUs, us, sent: false }
    this.#push(run, step)
    return { run, step }
  }

  #push(run: EventRun, step: OpenStep): void {
    if (run.unsent.push(step) === 1 && this.#runs.push(run) === 1) this.#host.sendSoon()
  }
}

function jsonOf(steps: readonly OpenStep[]): string {
  let json = ''
  for (const step of steps) {
    const { n, us, unanswered, sent } = step
    if (json !== '') json += ','
    const end = `"us":${us}${unanswered ? `,"unanswered":${JSON.stringify(unanswered)}` : ''}}`
    if (sent) json += `{"end":${n},${end}`
    else json += us === undefined ? `${step.json}}` : `${step.json},${end}`
    step.sent = true
  }
  return json
}

/** A wall clock that is set back does not lead to negative durations. */
const microseconds = (ms: number): number => Math.max(0, Math.round(ms * 1000))

const isOfTask = (key: EventKey): boolean => typeof key === 'number' && key <= 0

const nothing = (): void => {}
