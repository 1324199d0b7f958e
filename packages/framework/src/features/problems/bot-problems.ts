import { type Clock, type Timer, within } from '@botwright/clock'
import { type Delivery, eventKey } from '@botwright/events/event'
import type { Log } from '../../author/ports.ts'
import type { Outcome } from '../../link/ports.ts'
import { type ObservedBot, READ_MS } from '../../runtime/ports/bot-facts.ts'
import type { MadeCall } from '../../runtime/ports/observer.ts'
import { AccessWatch, type ServerView } from '../access/access-watch.ts'
import { BudgetMinutes } from './budget-minutes.ts'
import { FileRuns } from './file-runs.ts'
import type { HealthWatch } from './health-facts.ts'
import { type Problem, problemsOf } from './problems.ts'
import { type QueueView, queuesOf } from './queues.ts'
import { RunningEvents } from './running-events.ts'
import { type Sender, Senders } from './senders.ts'
import { taskText, type TaskView, tasksOf } from './tasks.ts'

const SAMPLE_MS = 5000
/** A thread that is blocked does not answer, and a probe waits for a second by default. */
const LOOK_UP_MS = 250

interface ProblemOptions {
  clock: Clock
  log: Log
  watch: HealthWatch
  /** The declared variables, one of which may be the time zone of a task. */
  env: Readonly<Record<string, unknown>> | undefined
  /** Whether `called` is called. */
  countsCalls?: boolean
  /** Removes secrets from the messages of errors. */
  clean: (text: string) => string
}

/** Watches a running bot for problems: those that `/readyz`, the control room and the metrics show. */
export class BotProblems implements Disposable {
  readonly files = new FileRuns()
  readonly #minutes = new BudgetMinutes()
  readonly #events = new RunningEvents()
  readonly #senders = new Senders(this.#events)
  readonly #options: ProblemOptions
  #access: AccessWatch | undefined
  #timer: Timer | undefined

  constructor(options: ProblemOptions) {
    this.#options = options
    this.#sample()
  }

  began({ call, me, store }: ObservedBot): void {
    const { clock, log, watch } = this.#options
    const leads = () => watch.bot?.facts().cluster?.member.leads ?? true
    this.#access = new AccessWatch({ call, me: me.id, store, clock, log, leads })
  }

  ready(): void {
    void this.#access?.watch()
    void this.#logTasks()
  }

  received(delivery: Delivery): void {
    this.#events.received(delivery)
  }

  started(delivery: Delivery): void {
    this.#events.started(delivery, this.#options.watch.clock.monotonic())
  }

  called(call: MadeCall): void {
    this.#senders.called(call, this.#options.watch.clock.monotonic())
  }

  outcome(outcome: Outcome): void {
    const { eventId, file } = outcome
    const { clock } = this.#options.watch
    this.#events.handledBy(eventId, file)
    const at = { nowMs: clock.now(), monotonicMs: clock.monotonic() }
    const { person, server } = this.#events.of(eventId)
    this.files.observe(outcome, at, person, server)
  }

  /** The message budget of the last hour. */
  get minutes(): BudgetMinutes {
    const { bot, nowMs } = this.#options.watch.facts()
    if (bot) this.#minutes.sample(bot.rest, nowMs)
    return this.#minutes
  }

  /** Reads the facts that need a request. */
  async refresh(): Promise<void> {
    await this.#options.watch.bot?.refresh()
  }

  /** Looks up the files that problems and queues name. */
  async lookUp(): Promise<void> {
    const { clock, watch } = this.#options
    const { bot } = watch
    if (!bot) return
    const running = bot.queues().flatMap(({ current }) => (this.#events.isUnknown(current) ? [current] : []))
    const senders = bot.facts().rest.waiting > 0 ? this.#senders.unknown(watch.clock.monotonic()) : []
    const unknown = [...new Set([...running, ...senders])]
    if (unknown.length === 0) return
    const files = await within(clock, LOOK_UP_MS, () => bot.files(unknown)).catch(() => [])
    for (const [n, file] of files.entries()) this.#events.handledBy(eventKey(unknown[n]!.event), file)
  }

  /** The tasks with their runs. Rejects if the store does not respond. */
  async tasks(): Promise<TaskView[]> {
    const { clean, clock, env, watch } = this.#options
    const { bot } = watch
    if (!bot) return []
    const options = { store: bot.store, nowMs: watch.facts().nowMs, env, files: this.files.list(clean) }
    return within(clock, READ_MS, () => tasksOf(bot.definitions(), options))
  }

  /** The channels, roles and permissions of the bot in its servers; null before the first look. */
  servers(): ServerView[] | null {
    return this.#access?.servers ?? null
  }

  /** The file that sent most of the messages of the last minute. */
  get sender(): Sender | undefined {
    return this.#senders.most(this.#options.watch.clock.monotonic())
  }

  /** The longest queues of events, and those with the oldest ones. */
  queues(): QueueView[] {
    const { watch } = this.#options
    return queuesOf(watch.bot?.queues() ?? [], this.#events, watch.clock.monotonic())
  }

  list(): Problem[] {
    const { watch } = this.#options
    const facts = watch.facts()
    return problemsOf(facts, {
      files: this.files,
      queues: this.queues(),
      lost: this.#access?.lost ?? [],
      servers: this.servers() ?? [],
      sender: this.sender,
      countsCalls: this.#options.countsCalls ?? false,
      minutes: this.minutes.list(facts.nowMs),
      clean: this.#options.clean,
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel()
    this.#access?.[Symbol.dispose]()
  }

  async #logTasks(): Promise<void> {
    const { log } = this.#options
    // A store that does not respond has a line of its own.
    for (const task of await this.tasks().catch(() => [])) log.info({ file: task.file }, taskText(task))
  }

  #sample(): void {
    void this.minutes
    this.#timer = this.#options.clock.after(SAMPLE_MS, () => this.#sample())
  }
}
