/** Whether a bot has finished an action: a test waits for this. */
export interface BotWork {
  /** Whether anything is on its way to the bot, runs in it, or is on its way from it. Always true for a bot in another process, as its state is unknown. */
  busy(): boolean
  /** Whether requests are open or events are on their way: their answers come in real time, whatever the clock shows. */
  sending(): boolean
  /** Whether modules are loading, which no clock delays. */
  loading(): boolean
  /** Whether everything that runs waits for the clock: it goes on only when the test advances the clock. */
  waitsForClock(): boolean
  /** Whether the process works on something that ends in real time, whatever the clock shows. */
  progresses(): boolean
  /** For a bot in threads: resolves when its thread answers, and so has begun all that was sent to it. */
  reached?(): Promise<unknown>
  /** Changes whenever the bot receives an event, makes a call or ends a handler. `NaN` for a bot in another process: each wait is a new one. */
  readonly signs: number
  /** Set while the bot recovers from a crash or a fault, which may take any time. */
  recovery?: 'down' | 'warms' | undefined
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** More than a durable handler needs from a timer to its next call, or a call to its answer: each of their steps takes one. */
const TURNS = 20
const turns = async (): Promise<void> => {
  for (let i = 0; i < TURNS; i++) await turn()
}
/** How long a test waits for something invisible that a handler awaits, such as the answer of a database. */
const PATIENCE_MS = 1000
/** The same after an answer: the test does not wait for handlers that ask a question or wait for the clock. */
const QUIET_MS = 20
/** The same for a bot in other threads or processes, which are slower. */
export const FAR_QUIET_MS = 250
/** A test that waits longer for a handler may run into the time limit of its runner, which does not name the handler. */
const LONG_MS = 3000
/** The longest wait for a handler whose work is visible. */
const LONGEST_MS = 30_000

/** Records when something last happened, and whether more is to come. Nothing polls: each change wakes the waiting code. */
export class Activity {
  #wake: (() => void)[] = []
  readonly #work: BotWork
  readonly #quietMs: number
  /** How many calls of people have no answer yet. */
  #calls = 0
  /** How many calls of the test advance the clock. */
  #advances = 0
  /** The signs of the bot when the last wait timed out: without another one, it waits for something that does not come. */
  #stuckAt: number | undefined
  readonly #onLong: () => void

  /** `onLong`: called when a test waits long for a handler. */
  constructor(
    work: BotWork,
    { quietMs = QUIET_MS, onLong = () => {} }: { quietMs?: number; onLong?: () => void } = {},
  ) {
    this.#work = work
    this.#quietMs = quietMs
    this.#onLong = onLong
  }

  /** Called when something happens. */
  touch(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** A person calls the service, or receives its answer. */
  calls(change: 1 | -1): void {
    this.#calls += change
    this.touch()
  }

  /** The test begins or ends to advance the clock: meanwhile, nothing that waits for the clock waits in vain. */
  advances(change: 1 | -1): void {
    this.#advances += change
    this.touch()
  }

  /**
   * Resolves when the bot is idle, when all that it does waits for the clock, or when nothing has happened for `patienceMs`, which is shorter after
   * `enough`. It waits up to 30 s for work that it sees.
   */
  async settled(options: { enough?: () => boolean; patienceMs?: number | undefined } = {}): Promise<void> {
    const { enough, patienceMs = PATIENCE_MS } = options
    const waitsOn = this.#longWait()
    for (;;) {
      // Anything that follows an answer happens within the same turn or the next one.
      await turn()
      await turn()
      if (!this.#work.busy()) return
      const isEnough = enough?.() === true || this.#work.waitsForClock()
      if (await this.#next(isEnough || this.#stuck ? this.#quietMs : patienceMs)) continue
      if (this.#work.recovery || this.#advances > 0) continue
      if (isEnough || !(await this.#goesOn(waitsOn))) return void (this.#stuckAt = this.#work.signs)
    }
  }

  get #stuck(): boolean {
    return this.#stuckAt === this.#work.signs
  }

  /**
   * Resolves when everything that does not depend on the clock has happened: the actions of people have reached the bot, and its handlers have
   * ended, or wait for an answer of the service that does not come. It does not wait again for handlers that a former wait gave up on.
   */
  async begun(): Promise<void> {
    const waitsOn = this.#longWait()
    for (;;) {
      await turn()
      await turn()
      const busy = this.#work.busy()
      const sending = this.#work.sending()
      if (this.#calls === 0 && !busy) return
      if (this.#calls === 0 && this.#work.waitsForClock()) {
        await turns()
        if (this.#calls === 0 && this.#work.waitsForClock()) return
        continue
      }
      const isQuiet = this.#calls === 0 && (sending || this.#stuck)
      if (await this.#next(isQuiet ? this.#quietMs : PATIENCE_MS)) continue
      if (!this.#work.recovery && !(await this.#goesOn(waitsOn))) return
    }
  }

  /** Whether the bot still works, as far as that is visible. On a busy machine, a thread may not have run meanwhile. */
  async #goesOn(waitsOn: () => boolean): Promise<boolean> {
    const { signs } = this.#work
    if (!this.#work.progresses() && this.#work.reached) {
      await Promise.race([this.#work.reached(), this.#next(LONGEST_MS)])
      await turns()
    }
    return (this.#work.progresses() || this.#work.signs !== signs) && waitsOn()
  }

  /** Resolves when nothing is on its way between bot and service: then the clock may move on. */
  async sent(): Promise<void> {
    for (;;) {
      await turns()
      if (!this.#work.sending() && !this.#work.loading()) return
      if (!(await this.#next(this.#quietMs))) return
    }
  }

  /** Begins a wait. The result returns whether it may last longer, and reports a long wait, once. */
  #longWait(): () => boolean {
    const startMs = performance.now()
    let isReported = false
    return () => {
      const waitedMs = performance.now() - startMs
      if (!isReported && waitedMs >= LONG_MS) {
        isReported = true
        this.#onLong()
      }
      return waitedMs < LONGEST_MS
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
      // Not part of the bot's work (`RealWork`); the service keeps the process alive.
      timer.unref()
      this.#wake.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}
