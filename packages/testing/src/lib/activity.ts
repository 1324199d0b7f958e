import type { BotEvent } from '@botwright/events'
import type { Tap } from '@botwright/service'

/** Something that a bot does is over, or not yet: what a test waits for. */
export interface BotWork {
  /** Something is on its way to the bot, runs in it, or is on its way from it; for a bot in another process always, as nobody can tell. */
  busy(): boolean
  /** Requests are open, or events are on their way: their answers come in real time, whatever the clock says. */
  sending(): boolean
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

  constructor(work: BotWork, { quietMs = QUIET_MS } = {}) {
    this.#work = work
    this.#quietMs = quietMs
  }

  /** Something happened. */
  touch(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** Resolves when the bot has nothing to do; or when nothing has happened for `patienceMs`, shorter once there is `enough`. */
  async settled(options: { enough?: () => boolean; patienceMs?: number | undefined } = {}): Promise<void> {
    const { enough, patienceMs = PATIENCE_MS } = options
    for (;;) {
      // What follows upon an answer follows within the same turn, or the next.
      await turn()
      await turn()
      if (!this.#work.busy()) return
      if (!(await this.#next(enough?.() ? this.#quietMs : patienceMs))) return
    }
  }

  /** Resolves when nothing is on its way between bot and service: then the clock may go on. */
  async sent(): Promise<void> {
    for (;;) {
      await turn()
      await turn()
      if (!this.#work.sending() || !(await this.#next(this.#quietMs))) return
    }
  }

  /** Resolves with the next change, or with false when there was none for so long. */
  #next(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
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

  start(): void {
    this.#stopped = false
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
