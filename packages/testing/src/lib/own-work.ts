import type { BotEvent } from '@botwright/events'
import type { RunningBot } from '@botwright/framework/start'
import { printableLine } from '@botwright/protocol/facts'
import type { Service, ServiceObserver } from '@botwright/service'
import { Activity, type BotWork, FAR_QUIET_MS } from './people/activity.ts'
import { RealWork } from './real-work.ts'

export const advanceHint = 'time does not pass in a test by itself: call await chat.clock.advance({ seconds: 61 })'

/** The work of a bot in this process: counted where its requests leave, where its events arrive and where its handlers end. */
export class OwnWork implements BotWork {
  readonly #bot: () => ReturnType<ServiceObserver['bot']>
  /** Once it runs. */
  running: RunningBot | undefined
  readonly #real: RealWork
  readonly #touch: () => void
  signs = 0
  /** The bot has crashed: it is `down` until it is started again, and then `warms` up. After a fault of the service, it only `warms` up. */
  recovery: 'down' | 'warms' | undefined
  #stopped = false
  #leaping = false
  readonly #held: (() => void)[] = []
  /** The endpoints of the open requests. */
  readonly #requests: string[] = []
  /** Reasons why calls wait before they are sent. */
  readonly #delays = new Set<{ what: string }>()
  /** How many responses a fault of the test delays. */
  #delayedAnswers = 0
  #loads = 0
  #polls = 0
  #heard = 0

  /** `bot`: the bot's state in the service. `touch`: called when a call begins or ends to wait for the clock. */
  constructor(bot: () => ReturnType<ServiceObserver['bot']>, { real, touch }: { real: RealWork; touch: () => void }) {
    this.#bot = bot
    this.#real = real
    this.#touch = touch
  }

  hear({ id }: BotEvent): void {
    if (this.#requests.length === 0 && this.#handlers() === 0) this.#real.idle()
    this.signs++
    this.#heard = Math.max(this.#heard, id)
  }

  /** A handler has ended. */
  ends(): void {
    this.signs++
  }

  traffic(endpoint: string, change: 1 | -1): void {
    if (endpoint === 'events.list') return void (this.#polls += change)
    this.signs++
    if (change > 0) this.#requests.push(endpoint)
    else this.#requests.splice(this.#requests.indexOf(endpoint), 1)
  }

  /** A call waits for the clock. Call the result at the end. */
  delay(what: string): () => void {
    const delay = { what }
    this.#delays.add(delay)
    this.#touch()
    return () => {
      this.#delays.delete(delay)
      this.#touch()
    }
  }

  /** A fault of the test begins or ends to delay a response. */
  delaysAnswer(change: 1 | -1): void {
    this.#delayedAnswers += change
    this.#touch()
  }

  /** Whether modules are loading or loaded. */
  loads(change: 1 | -1): void {
    this.#loads += change
  }

  loading(): boolean {
    return this.recovery === 'down' || (!this.#stopped && this.#loads > 0)
  }

  start(): void {
    this.#stopped = false
    if (this.recovery) this.recovery = 'warms'
    // Modules that a stopped bot has not loaded do not matter.
    this.#loads = 0
  }

  /** The bot stops: nothing more to wait for, and no poll is held. */
  stop(): void {
    this.#stopped = true
    this.#letPoll()
  }

  /** Holds polls back while the clock advances, unless there is an event to deliver. */
  holdPoll(): Promise<void> | undefined {
    if (!this.#leaping || this.#stopped || this.#bot().newestEvent > this.#heard) return undefined
    return new Promise((resolve) => this.#held.push(resolve))
  }

  /** The clock begins to advance. Code that waits only for time needs no poll. Call the result at the end. */
  leap(): () => void {
    this.#leaping = true
    return () => {
      this.#leaping = false
      this.#letPoll()
    }
  }

  #letPoll(): void {
    for (const poll of this.#held.splice(0)) poll()
  }

  busy(): boolean {
    return this.recovery !== undefined || this.works()
  }

  /** Whether events are on their way, handlers run or requests are open. */
  works(): boolean {
    if (this.#stopped) return false
    return this.#requests.length > 0 || this.#bot().newestEvent > this.#heard || this.#handlers() > 0
  }

  /** Events that wait for their handler, and handlers that run. */
  #handlers(): number {
    const { waiting = 0, running = 0 } = this.running?.stats() ?? {}
    return waiting + running
  }

  waitsForClock(): boolean {
    if (this.#stopped || this.loading() || this.#bot().newestEvent > this.#heard) return false
    const requests = this.#requests.length
    const running = this.running?.stats().running ?? 0
    if (requests > this.#delayedAnswers || running + requests === 0) return false
    return running <= this.#delays.size + requests
  }

  progresses(): boolean {
    if (this.#stopped) return false
    // The service answers, however slowly, unless a fault delays the answer until the clock has advanced.
    return this.#real.active || this.#requests.length > this.#delayedAnswers
  }

  /** Another thread names the files, in the order of what it receives. */
  async reached(): Promise<void> {
    await this.running?.runningFiles()
  }

  /** The handlers that run, and what they wait for, in English; undefined without such handlers. */
  async stillRuns(): Promise<string | undefined> {
    const files = (await this.running?.runningFiles()) ?? []
    if (this.#stopped || files.length === 0) return undefined
    const one = files.length === 1
    return `${files.join(', ')} still ${one ? 'runs: it waits' : 'run: they wait'} for ${this.#awaited()}`
  }

  #awaited(): string {
    const [delay] = this.#delays
    const [endpoint] = this.#requests
    if (delay) return `${delay.what}; ${advanceHint}`
    if (endpoint === undefined)
      return 'something other than the service and the clock, such as a database, a timer of Node or a promise'
    return `the answer to ${endpoint}${this.#delayedAnswers > 0 ? `, which a fault delays; ${advanceHint}` : ''}`
  }

  sending(): boolean {
    // The clock waits for the next start of the bot.
    if (this.recovery === 'down') return this.#leaping
    if (this.#stopped) return false
    if (this.#bot().newestEvent > this.#heard) this.#letPoll()
    const { newestEvent, polls } = this.#bot()
    return this.#requests.length > 0 || (this.#polls > 0 && !polls) || (polls && newestEvent > this.#heard)
  }
}

/** Watches the work of a bot that runs in this process. `workers`: its handlers run in threads. */
export function watchWork(service: Service, botId: string, { workers }: { workers: boolean }) {
  const touch = () => activity.touch()
  const real = new RealWork(service.url, touch)
  const work = new OwnWork(() => service.observer.bot(botId), { real, touch })
  const warn = async () => {
    const stillRuns = await work.stillRuns()
    if (stillRuns !== undefined) console.warn(printableLine(`the test waits: ${stillRuns}`))
  }
  const activity = new Activity(work, { onLong: () => void warn(), ...(workers && { quietMs: FAR_QUIET_MS }) })
  service.observer.delayedAnswers((change) => work.delaysAnswer(change))
  service.observer.polls(botId, touch)
  return { work, activity, unwatch: () => real[Symbol.dispose]() }
}
