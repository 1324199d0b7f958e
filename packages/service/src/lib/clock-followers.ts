import { type AdvanceableClock, systemClock } from '@botwright/clock'
import { BoundedMap } from '@botwright/protocol/facts'
import { DevPoll } from './dev-poll.ts'

const BOTS = 16
/** A bot may have a lot to do in the days that it skips. */
const MOVE_MS = 30_000

/** How often the handler of a file ended while the clock moved. */
export interface FileRuns {
  file: string
  runs: number
  failed: number
}

/** A bot whose clock follows. `ran`: undefined while it is still moving. */
export interface FollowedBot {
  id: string
  ran: readonly FileRuns[] | undefined
}

interface Follower {
  poll: DevPoll
  /** How far its clock is ahead of the system's. */
  aheadMs: number
  /** How far it has to be ahead: further than `aheadMs` while it moves. */
  dueMs: number
  /** Its report after the last move. */
  report: { aheadMs: number; ran: readonly FileRuns[] } | undefined
}

/**
 * Moves the clock of the service together with those of the bots in `framework dev`. A bot moves from timer to timer, and the service with it, so that
 * limits and messages have the right times.
 */
export class ClockFollowers {
  readonly #clock: AdvanceableClock
  readonly #bots = new BoundedMap<string, Follower>(BOTS)
  readonly #waiting = new Set<() => void>()
  /** How far the clocks will be ahead when all bots have moved. */
  #targetMs = 0

  constructor(clock: AdvanceableClock) {
    this.#clock = clock
  }

  /** Moves the clocks. Resolves when the bots have followed, or with those that are still moving after a while. */
  async move(ms: number): Promise<FollowedBot[]> {
    const targetMs = (this.#targetMs = Math.max(this.#targetMs, this.#clock.aheadMs) + ms)
    const bots = [...this.#bots].filter(([, bot]) => isThere(bot))
    if (bots.length === 0) this.#clock.advance(targetMs - this.#clock.aheadMs)
    for (const [, { poll }] of bots) poll.end()
    const ranOf = ({ report }: Follower) => (report && report.aheadMs >= targetMs ? report.ran : undefined)
    await new Promise<void>((resolve) => {
      const look = () => {
        if (bots.every(([, bot]) => ranOf(bot))) end()
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
    return bots.map(([id, bot]) => ({ id, ran: ranOf(bot) }))
  }

  /** Waits until a bot has to move its clock. Resolves with the time by which it has to be ahead of the system's. */
  async poll(botId: string, aheadMs: number, onDisconnect: (end: () => void) => void): Promise<number> {
    const bot = this.#of(botId, aheadMs)
    await bot.poll.wait(this.#targetMs > aheadMs, onDisconnect)
    return (bot.dueMs = Math.max(this.#targetMs, aheadMs))
  }

  /** A bot is about to move its clock so far; `ran`: it has moved the whole way. */
  moves(botId: string, aheadMs: number, ran: readonly FileRuns[] | undefined): void {
    const bot = this.#of(botId, aheadMs)
    bot.aheadMs = aheadMs
    if (ran) bot.report = { aheadMs, ran }
    const slowestMs = Math.min(...[...this.#bots.values()].filter(isThere).map((one) => one.aheadMs), aheadMs)
    this.#clock.advance(Math.max(Math.min(slowestMs, this.#targetMs) - this.#clock.aheadMs, 0))
    for (const look of this.#waiting) look()
  }

  /** Ends the waiting polls. */
  clear(): void {
    for (const { poll } of this.#bots.values()) poll.end()
    this.#bots.clear()
  }

  #of(botId: string, aheadMs: number): Follower {
    const known = this.#bots.get(botId)
    if (known) return known
    const bot = { poll: new DevPoll(), aheadMs, dueMs: aheadMs, report: undefined }
    this.#bots.set(botId, bot)
    return bot
  }
}

/** A bot does not poll while it moves. */
const isThere = ({ poll, aheadMs, dueMs }: Follower): boolean => poll.isThere || dueMs > aheadMs
