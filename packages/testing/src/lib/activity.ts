import type { BotEvent } from '@botwright/events'
import type { Tap } from '@botwright/service'

/** Something that a bot does is over, or not yet: what a test waits for. */
export interface BotWork {
  /** Something is on its way to the bot, runs in it, or is on its way from it; for a bot in another process always, as nobody can tell. */
  busy(): boolean
  /** Requests are open, or events are on their way: their answers come in real time, whatever the clock says. */
  sending(): boolean
  /** Modules are being loaded, which no clock delays. */
  loading(): boolean
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** What a handler awaits beside the service (a file, a database) may take so long before a test goes on without it. */
const PATIENCE_MS = 1000
/** The same, once something was answered: handlers that ask back or wait for the clock are not waited for. */
const QUIET_MS = 20
/** The same for a bot in other threads or processes, which take their time. */
export const FAR_QUIET_MS = 250

/** When something happened last, and whether more is to come. Nothing here asks again and again: each change wakes who waits. */
export class Activity {
  #wake: (() => void)[] = []
  readonly #work: BotWork
  readonly #quietMs: number
  /** How many calls of people have not been answered. */
  #calls = 0
  /** Nothing has happened since the bot was waited for in vain: it waits for the clock, or for a person. */
  #stuck = false

  constructor(work: BotWork, { quietMs = QUIET_MS } = {}) {
    this.#work = work
    this.#quietMs = quietMs
  }

  /** Something happened. */
  touch(): void {
    this.#stuck = false
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** A person calls the service, or has its answer. */
  calls(change: 1 | -1): void {
    this.#calls += change
    this.touch()
  }

  /** Resolves when the bot has nothing to do; or when nothing has happened for `patienceMs`, shorter once there is `enough`. */
  async settled(options: { enough?: () => boolean; patienceMs?: number | undefined } = {}): Promise<void> {
    const { enough, patienceMs = PATIENCE_MS } = options
    for (;;) {
      // What follows upon an answer follows within the same turn, or the next.
      await turn()
      await turn()
      if (!this.#work.busy()) return
      if (!(await this.#next(enough?.() ? this.#quietMs : patienceMs))) return void (this.#stuck = true)
    }
  }

  /**
   * Resolves when all that needs no time of the clock has happened: what people have begun has reached the bot, and its handlers have
   * ended, or wait for an answer of the service that does not come. What was waited for in vain before is not waited for again.
   */
  async begun(): Promise<void> {
    for (;;) {
      await turn()
      await turn()
      const busy = this.#work.busy()
      const sending = this.#work.sending()
      if (this.#calls === 0 && (!busy || (this.#stuck && !this.#work.loading()))) return
      if (!(await this.#next(this.#calls === 0 && sending ? this.#quietMs : PATIENCE_MS))) return
    }
  }

  /** Resolves when nothing is on its way between bot and service: then the clock may go on. */
  async sent(): Promise<void> {
    for (;;) {
      await turn()
      await turn()
      if (!this.#work.sending() && !this.#work.loading()) return
      if (!(await this.#next(this.#quietMs))) return
    }
  }

  /** Resolves with the next change, or with false when there was none for so long. Modules are loaded in whatever time it takes. */
  #next(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(this.#work.loading()), ms)
      this.#wake.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}

/** The work of a bot in this process: counted where its requests leave, where its events arrive and where its handlers end. */
export class OwnWork implements BotWork {
  readonly #bot: () => ReturnType<Tap['bot']>
  /** Events that wait or run, once the bot runs. */
  handlers: () => number = () => 0
  #stopped = false
  #leaping = false
  readonly #held: (() => void)[] = []
  #requests = 0
  #loads = 0
  #polls = 0
  #heard = 0

  /** `bot`: what the service has for it. */
  constructor(bot: () => ReturnType<Tap['bot']>) {
    this.#bot = bot
  }

  hear({ id }: BotEvent): void {
    this.#heard = Math.max(this.#heard, id)
  }

  traffic(endpoint: string, change: 1 | -1): void {
    if (endpoint === 'events.list') this.#polls += change
    else this.#requests += change
  }

  /** Modules are loaded, or are being loaded. */
  loads(change: 1 | -1): void {
    this.#loads += change
  }

  loading(): boolean {
    return !this.#stopped && this.#loads > 0
  }

  start(): void {
    this.#stopped = false
    // What a stopped bot has not loaded concerns nobody.
    this.#loads = 0
  }

  /** The bot stops: nothing more is to be waited for, and no poll held. */
  stop(): void {
    this.#stopped = true
    this.#letPoll()
  }

  /** Holds polls back while the clock leaps, unless there is something to be heard. */
  holdPoll(): Promise<void> | undefined {
    if (!this.#leaping || this.#stopped || this.#bot().newestEvent > this.#heard) return undefined
    return new Promise((resolve) => this.#held.push(resolve))
  }

  /** The clock begins to leap: what waits for nothing but time needs no poll. The result ends it. */
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
    if (this.#stopped) return false
    return this.#requests > 0 || this.#bot().newestEvent > this.#heard || this.handlers() > 0
  }

  sending(): boolean {
    if (this.#stopped) return false
    if (this.#bot().newestEvent > this.#heard) this.#letPoll()
    const { newestEvent, polls } = this.#bot()
    return this.#requests > 0 || (this.#polls > 0 && !polls) || (polls && newestEvent > this.#heard)
  }
}
