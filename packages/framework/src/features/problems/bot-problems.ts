import { type Clock, type Timer, within } from '@botwright/clock'
import { type Delivery, eventKey } from '@botwright/events/event'
import type { Outcome } from '../../link/ports.ts'
import { type BotEnd, READ_MS } from '../../runtime/ports/bot-facts.ts'
import type { MadeCall } from '../../runtime/ports/observer.ts'
import { BudgetMinutes } from './budget-minutes.ts'
import { FileRuns } from './file-runs.ts'
import type { HealthWatch } from './health-facts.ts'
import { type Problem, problemsOf } from './problems.ts'
import { RunningEvents } from './running-events.ts'
import { Senders } from './senders.ts'

const SAMPLE_MS = 5000

/** Watches a running bot for problems: those that `/readyz`, the control room and the metrics show. */
export class BotProblems implements Disposable {
  readonly files = new FileRuns()
  readonly #minutes = new BudgetMinutes()
  readonly #events = new RunningEvents()
  readonly #senders = new Senders(this.#events)
  readonly #options: { clock: Clock; watch: HealthWatch; clean: (text: string) => string }
  #end: BotEnd | undefined
  #timer: Timer | undefined

  /** `clean` removes secrets from the messages of errors. */
  constructor(options: { clock: Clock; watch: HealthWatch; clean: (text: string) => string }) {
    this.#options = options
    this.#sample()
  }

  received(delivery: Delivery): void {
    this.#events.received(delivery)
  }

  called(call: MadeCall): void {
    this.#senders.called(call)
  }

  outcome(outcome: Outcome): void {
    const { eventId, file } = outcome
    this.#events.handledBy(eventId, file)
    this.files.observe(outcome, this.#options.watch.clock.now(), this.#events.of(eventId).person)
  }

  refused(end: BotEnd): void {
    this.#end = end
  }

  /** The message budget of the last hour. */
  get minutes(): BudgetMinutes {
    const { bot, nowMs } = this.#options.watch.facts()
    if (bot) this.#minutes.sample(bot.rest, nowMs)
    return this.#minutes
  }

  /** Reads what needs a request. Resolves within a second. */
  async refresh(): Promise<void> {
    const { clock, watch } = this.#options
    const { bot } = watch
    if (!bot) return
    await bot.refresh()
    const unknown = watch.facts().bot!.rest.waiting > 0 ? this.#senders.unknown(Date.now()) : []
    if (unknown.length === 0) return
    // A thread that is blocked does not answer.
    const files = await within(clock, READ_MS, () => bot.files(unknown)).catch(() => [])
    for (const [n, file] of files.entries()) this.#events.handledBy(eventKey(unknown[n]!.event), file)
  }

  list(): Problem[] {
    const facts = this.#options.watch.facts()
    return problemsOf(facts, {
      files: this.files,
      sender: this.#senders.most(Date.now()),
      minutes: this.minutes.list(facts.nowMs),
      end: this.#end,
      clean: this.#options.clean,
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel()
  }

  #sample(): void {
    void this.minutes
    this.#timer = this.#options.clock.after(SAMPLE_MS, () => this.#sample())
  }
}
