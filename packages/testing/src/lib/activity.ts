import type { BotEvent } from '@botwright/events'
import type { Tap } from '@botwright/service'

/** Whether a bot has finished an action: a test waits for this. */
export interface BotWork {
  /** Whether anything is on its way to the bot, runs in it, or is on its way from it. Always true for a bot in another process, as its state is unknown. */
  busy(): boolean
  /** Whether requests are open or events are on their way: their answers come in real time, whatever the clock shows. */
  sending(): boolean
  /** Whether modules are loading, which no clock delays. */
  loading(): boolean
  /** Set while the bot recovers from a crash or a fault, which may take any time. */
  recovery?: 'down' | 'warms' | undefined
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** More than a durable handler needs from a timer to its next call, or a call to its answer: each of their steps takes one. */
const TURNS = 20
const turns = async (): Promise<void> => {
  for (let i = 0; i < TURNS; i++) await turn()
}
/** How long a test waits for something other than the service (a file, a database) that a handler awaits. */
const PATIENCE_MS = 1000
/** The same after an answer: the test does not wait for handlers that ask a question or wait for the clock. */
const QUIET_MS = 20
/** The same for a bot in other threads or processes, which are slower. */
export const FAR_QUIET_MS = 250

/** Records when something last happened, and whether more is to come. Nothing polls: each change wakes the waiting code. */
export class Activity {
  #wake: (() => void)[] = []
  readonly #work: BotWork
  readonly #quietMs: number
  /** How many calls of people have no answer yet. */
  #calls = 0
  /** Nothing has happened since the last wait timed out: the bot waits for the clock, or for a person. */
  #stuck = false

  constructor(work: BotWork, { quietMs = QUIET_MS } = {}) {
    this.#work = work
    this.#quietMs = quietMs
  }

  /** Called when something happens. */
  touch(): void {
    this.#stuck = false
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** A person calls the service, or receives its answer. */
  calls(change: 1 | -1): void {
    this.#calls += change
    this.touch()
  }

  /** Resolves when the bot is idle, or when nothing has happened for `patienceMs`, which is shorter after `enough`. */
  async settled(options: { enough?: () => boolean; patienceMs?: number | undefined } = {}): Promise<void> {
    const { enough, patienceMs = PATIENCE_MS } = options
    for (;;) {
      // Anything that follows an answer happens within the same turn or the next one.
      await turn()
      await turn()
      if (!this.#work.busy()) return
      if (!(await this.#next(enough?.() ? this.#quietMs : patienceMs)) && !this.#work.recovery)
        return void (this.#stuck = true)
    }
  }

  /**
   * Resolves when everything that does not depend on the clock has happened: the actions of people have reached the bot, and its handlers have
   * ended, or wait for an answer of the service that does not come. It does not wait again for handlers that a former wait gave up on.
   */
  async begun(): Promise<void> {
    for (;;) {
      await turn()
      await turn()
      const busy = this.#work.busy()
      const sending = this.#work.sending()
      if (this.#calls === 0 && (!busy || (this.#stuck && !this.#work.loading()))) return
      const quietMs = this.#calls === 0 && sending ? this.#quietMs : PATIENCE_MS
      if (!(await this.#next(quietMs)) && !this.#work.recovery) return
    }
  }

  /** Resolves when nothing is on its way between bot and service: then the clock may move on. */
  async sent(): Promise<void> {
    for (;;) {
      await turns()
      if (!this.#work.sending() && !this.#work.loading()) return
      if (!(await this.#next(this.#quietMs))) return
    }
  }

  /** Resolves when the bot has ended its work, or with false when nothing happens although it has not. */
  async rests(works: () => boolean, patienceMs: number): Promise<boolean> {
    for (;;) {
      await turn()
      await turn()
      if (!works()) return true
      if (!(await this.#next(patienceMs))) return false
    }
  }

  /** Resolves with the next change, or with false if there was none for that long. Modules may take any time to load. */
  #next(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      // On a busy machine, this process may not have run meanwhile: first it handles everything that has arrived.
      const timer = setTimeout(() => void turns().then(() => resolve(this.#work.loading())), ms)
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
  /** The bot has crashed: it is `down` until it is started again, and then `warms` up. After a fault of the service, it only `warms` up. */
  recovery: 'down' | 'warms' | undefined
  #stopped = false
  #leaping = false
  readonly #held: (() => void)[] = []
  #requests = 0
  #loads = 0
  #polls = 0
  #heard = 0

  /** `bot`: the bot's state in the service. */
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
    return this.#requests > 0 || this.#bot().newestEvent > this.#heard || this.handlers() > 0
  }

  sending(): boolean {
    // The clock waits for the next start of the bot.
    if (this.recovery === 'down') return this.#leaping
    if (this.#stopped) return false
    if (this.#bot().newestEvent > this.#heard) this.#letPoll()
    const { newestEvent, polls } = this.#bot()
    return this.#requests > 0 || (this.#polls > 0 && !polls) || (polls && newestEvent > this.#heard)
  }
}
