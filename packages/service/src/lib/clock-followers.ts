import { type AdvanceableClock, systemClock } from '@botwright/clock'
import { limits } from '@botwright/protocol'
import { BoundedMap } from '@botwright/protocol/facts'

const BOTS = 16
/** A program that has moved the clock of its bot asks for the next move within this time. */
const BETWEEN_POLLS_MS = 5000
/** A bot has a lot to do in the days that it skips. */
const MOVE_MS = 30_000

interface Follower {
  aheadMs: number
  /** Ends the waiting poll. */
  resume: (() => void) | undefined
  lastPollMs: number
}

/** The bots whose clock `framework dev` moves along with that of the service. */
export class ClockFollowers {
  readonly #clock: AdvanceableClock
  readonly #bots = new BoundedMap<string, Follower>(BOTS)
  readonly #waiting = new Set<() => void>()

  constructor(clock: AdvanceableClock) {
    this.#clock = clock
  }

  /** Waits until the clock of the service is ahead of that of the bot. Resolves with the time by which it is ahead of the system's. */
  async poll(botId: string, aheadMs: number, onDisconnect: (end: () => void) => void): Promise<number> {
    const bot = this.#bots.get(botId) ?? { aheadMs, resume: undefined, lastPollMs: 0 }
    this.#bots.set(botId, bot)
    bot.resume?.()
    bot.aheadMs = aheadMs
    for (const look of this.#waiting) look()
    if (this.#clock.aheadMs <= aheadMs) {
      await new Promise<void>((resolve) => {
        const resume = () => {
          timer.cancel()
          if (bot.resume === resume) bot.resume = undefined
          resolve()
        }
        const timer = systemClock.after(limits.event_poll_wait.seconds * 1000, resume)
        bot.resume = resume
        onDisconnect(resume)
      })
    }
    bot.lastPollMs = systemClock.monotonic()
    return this.#clock.aheadMs
  }

  /** Called when the clock has moved. Resolves with the ids of the bots whose clocks have followed. */
  async moved(): Promise<string[]> {
    const { aheadMs } = this.#clock
    const isThere = ({ resume, lastPollMs }: Follower) =>
      resume !== undefined || systemClock.monotonic() - lastPollMs < BETWEEN_POLLS_MS
    const bots = [...this.#bots].filter(([, bot]) => isThere(bot))
    for (const [, bot] of bots) bot.resume?.()
    const hasFollowed = ([, bot]: [string, Follower]) => bot.aheadMs >= aheadMs
    await new Promise<void>((resolve) => {
      const look = () => {
        if (bots.every(hasFollowed)) end()
      }
      const end = () => {
        late.cancel()
        this.#waiting.delete(look)
        resolve()
      }
      const late = systemClock.after(MOVE_MS, end)
      this.#waiting.add(look)
      look()
    })
    return bots.filter(hasFollowed).map(([id]) => id)
  }

  /** Ends the waiting polls. */
  clear(): void {
    for (const { resume } of this.#bots.values()) resume?.()
    this.#bots.clear()
    for (const look of this.#waiting) look()
  }
}
