import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { failedResults } from '@botwright/protocol/timeline'
import type { Definition } from '../../author/files/entries.ts'
import type { Outcome } from '../../link/ports.ts'
import { clockAheadSeconds, type HealthFacts, lagSeconds, pollAgeSeconds } from '../problems/health-facts.ts'
import type { Problem } from '../problems/problems.ts'
import type { TaskView } from '../problems/tasks.ts'
import { readinessOf } from './readiness.ts'

type Read = (facts: HealthFacts) => number | undefined | Promise<number>

/** Metrics by name. A name that ends in `_total` is a counter, any other a gauge. */
export type MetricTable = Readonly<Record<string, readonly [help: string, read: Read]>>

/** Metrics that are read at each scrape. docs/monitoring.md has the same rows. */
const botMetrics: MetricTable = {
  botwright_ready: ['1 when /readyz returns 200', (facts) => Number(readinessOf(facts).ready)],
  botwright_events_skipped_total: ['Events skipped because of catchUp', ({ bot }) => bot?.stats.skipped],
  botwright_events_duplicate_total: ['Events received more than once', ({ bot }) => bot?.stats.duplicates],
  botwright_events_malformed_total: ['Events that could not be read', ({ bot }) => bot?.stats.malformed],
  botwright_events_set_aside: [
    'Events set aside; rerun them with framework replay or framework cluster replay',
    ({ bot }) => bot?.setAside,
  ],
  botwright_events_waiting: ['Events waiting for a handler', ({ bot }) => bot?.stats.waiting],
  botwright_events_running: ['Events whose handler is running', ({ bot }) => bot?.stats.running],
  botwright_events_lag_seconds: ['Age of the oldest event that is not finished', lagSeconds],
  botwright_webhooks_accepted_total: ['Event webhooks with the right signature', ({ bot }) => bot?.webhook?.accepted],
  botwright_webhooks_wrong_secret_total: [
    'Event webhooks for this bot that were signed with another secret',
    ({ bot }) => bot?.webhook?.wrongSecret,
  ],
  botwright_clock_ahead_seconds: ['How far the clock of the host is ahead of the service', clockAheadSeconds],
  botwright_polls_total: ['Polls sent', ({ bot }) => bot?.stats.polls],
  botwright_poll_failures_total: ['Polls without a usable response', ({ bot }) => bot?.stats.pollFailures],
  botwright_poll_age_seconds: ['Time since the last completed poll', pollAgeSeconds],
  botwright_requests_total: ['HTTP requests to the service, polls included', ({ bot }) => bot?.rest.requests],
  botwright_request_retries_total: ['Requests sent again', ({ bot }) => bot?.rest.retries],
  botwright_rate_limited_total: ['Responses with 429', ({ bot }) => bot?.rest.rateLimited],
  botwright_messages_sent_total: ['Messages accepted by the service', ({ bot }) => bot?.rest.sent],
  botwright_messages_waiting: ['Messages waiting for the budget', ({ bot }) => bot?.rest.waiting],
  // Unknown while the store does not respond.
  botwright_messages_held: ['Messages waiting for the end of quiet hours', ({ held }) => held?.().catch(() => NaN)],
  botwright_message_budget_used: ['Messages that count against the budget now', ({ bot }) => bot?.rest.used],
  botwright_click_acks_total: ['Clicks acknowledged on behalf of their handler', ({ bot }) => bot?.stats.acks],
  botwright_runs_waiting: ['Durable runs that wait, on all instances', ({ bot }) => bot?.runs.countWaiting()],
  botwright_runs_resumed_total: [
    'How often a durable run continued after an answer, a time or a request',
    ({ bot }) => bot?.runs.counts.resumed,
  ],
  botwright_runs_done_total: ['Durable runs that ended without an error', ({ bot }) => bot?.runs.counts.done],
  botwright_runs_failed_total: ['Durable runs that failed', ({ bot }) => bot?.runs.counts.failed],
  botwright_runs_cancelled_total: ['Durable runs that were cancelled', ({ bot }) => bot?.runs.counts.cancelled],
  botwright_reloads_total: ['Code reloads while the bot was running', ({ bot }) => bot?.reloads],
  botwright_worker_restarts_total: ['Workers that crashed or were blocked', ({ bot }) => bot?.workerRestarts],
  botwright_journal_commits_total: ['Groups of events written to the journal', ({ bot }) => bot?.journal?.commits],
  botwright_journal_bytes: ['Size of the journal on disk', ({ bot }) => bot?.journal?.bytes],
  process_resident_memory_bytes: ['Resident memory', () => process.memoryUsage.rss()],
  process_cpu_seconds_total: ['CPU time, user and system', () => cpuSeconds()],
  process_start_time_seconds: ['When the process started', ({ nowMs }) => Math.round(nowMs / 1000 - process.uptime())],
}

/** Limits the labels, which are never removed, in case the service keeps sending new types, or a bot has very many files. */
const MOST_TYPES = 50
const MOST_FILES = 200
const secondsOf = (time: string | null | undefined) => (time ? Date.parse(time) / 1000 : undefined)
/** Metrics of tasks, from the store: the same on all instances of a cluster, and after a restart. */
const taskMetrics: Readonly<Record<string, readonly [help: string, read: (task: TaskView) => number | undefined]>> = {
  botwright_task_last_run_timestamp_seconds: [
    'The scheduled time of the last run of a task',
    ({ last }) => secondsOf(last?.at),
  ],
  botwright_task_next_run_timestamp_seconds: ['When a task runs next', ({ next_at }) => secondsOf(next_at)],
  botwright_task_failed: [
    '1 when the last scheduled run of a task has failed',
    ({ last }) => Number(last?.state === 'failed'),
  ],
}
/** The types of the events of files. */
const typesOf: Readonly<Partial<Record<Definition['kind'], string>>> = {
  command: 'message',
  button: 'interaction',
  task: 'task',
}
const firstResults = ['ok', ...failedResults] as const
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const QUANTILES = [50, 99, 100]

/** The metrics of one bot, in a registry of its own: a process may run several bots. */
export class BotMetrics implements Disposable {
  readonly #registry = new Registry()
  readonly #types = new Labels(MOST_TYPES)
  readonly #files = new Labels(MOST_FILES)
  readonly #received: Counter
  readonly #handled: Counter
  readonly #seconds: Histogram
  readonly #tasks: (() => Promise<readonly TaskView[]>) | undefined
  #read: readonly TaskView[] = []
  readonly #loop = monitorEventLoopDelay({ resolution: 20 })

  /** `tasks` reads them from the store; `problems` are those of this moment. */
  constructor(
    facts: () => HealthFacts,
    more: MetricTable = {},
    {
      tasks,
      problems,
    }: {
      tasks?: (() => Promise<readonly TaskView[]>) | undefined
      problems?: () => readonly Pick<Problem, 'code'>[]
    } = {},
  ) {
    this.#tasks = tasks
    const registers = [this.#registry]
    this.#received = new Counter({
      name: 'botwright_events_received_total',
      help: 'Events received, by type',
      labelNames: ['type'],
      registers,
    })
    this.#handled = new Counter({
      name: 'botwright_events_handled_total',
      help: 'Handler runs, by event type and result (ok, error, refused, timed_out, crashed, dead_lettered), and file',
      labelNames: ['type', 'file', 'result'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'botwright_handler_seconds',
      help: 'Duration of handler runs without their waits for people, by file',
      labelNames: ['file'],
      buckets: SECONDS,
      registers,
    })
    for (const [name, [help, read]] of Object.entries(taskMetrics))
      this.#gauge(name, help, ['file'], (gauge) => {
        for (const task of this.#read) {
          const value = read(task)
          if (value !== undefined) gauge.set({ file: task.file }, value)
        }
      })
    this.#gauge('botwright_problems', 'Problems that /readyz lists now, by code', ['code'], (gauge) => {
      for (const { code } of problems?.() ?? []) gauge.inc({ code })
    })
    const schedules = 'Always 1: the cron pattern or the interval of a task, and its time zone'
    this.#gauge('botwright_task_info', schedules, ['file', 'schedule', 'timezone'], (gauge) => {
      for (const { file, schedule, timezone } of this.#read)
        gauge.set({ file, schedule: schedule ?? '', timezone: timezone ?? '' }, 1)
    })
    for (const [name, [help, read]] of Object.entries({ ...botMetrics, ...more })) {
      if (name.endsWith('_total'))
        new Counter({
          name,
          help,
          registers,
          collect: collected((counter: Counter, value) => (counter.reset(), counter.inc(value))),
        })
      else new Gauge({ name, help, registers, collect: collected((gauge: Gauge, value) => gauge.set(value)) })
      function collected<M>(set: (metric: M, value: number) => void) {
        return async function (this: M) {
          set(this, (await read(facts())) ?? 0)
        }
      }
    }
    const loop = this.#loop
    loop.enable()
    const delays = 'How late the supervisor’s event loop is, by percentile, since the last scrape'
    this.#gauge('botwright_event_loop_delay_seconds', delays, ['percentile'], (gauge) => {
      for (const percentile of QUANTILES)
        gauge.set({ percentile }, Math.max(0, (loop.percentile(percentile) || 0) / 1e9))
      loop.reset()
    })
  }

  /** A gauge whose values are read at each scrape. */
  #gauge(name: string, help: string, labelNames: string[], show: (gauge: Gauge) => void): void {
    new Gauge({
      ...{ name, help, labelNames, registers: [this.#registry] },
      collect() {
        this.reset()
        show(this)
      },
    })
  }

  received(type: string): void {
    this.#received.inc({ type: this.#types.of(type) })
  }

  observe({ type, file, ms, waitedMs = 0, result }: Outcome): void {
    const label = file === undefined ? '' : this.#files.of(file)
    this.#handled.inc({ type: this.#types.of(type), file: label, result })
    if (label !== '' && ms !== undefined) this.#seconds.observe({ file: label }, (ms - waitedMs) / 1000)
  }

  /** The failures of these files begin with 0: Prometheus does not count a series that begins with 1 as an increase. */
  expect(definitions: readonly Definition[]): void {
    for (const { kind, name, file } of definitions) {
      const type = typesOf[kind] ?? (kind === 'event' ? name : undefined)
      if (type === undefined) continue
      const labels = { type: this.#types.of(type), file: this.#files.of(file) }
      for (const result of firstResults) this.#handled.inc({ ...labels, result }, 0)
    }
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Prometheus's text format. */
  async text(): Promise<string> {
    this.#read = (await this.#tasks?.()) ?? []
    return this.#registry.metrics()
  }

  [Symbol.dispose](): void {
    this.#loop.disable()
    this.#registry.clear()
  }
}

/** The values of a label; further ones count as `other`. */
class Labels {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#most) return 'other'
    this.#known.add(value)
    return value
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
