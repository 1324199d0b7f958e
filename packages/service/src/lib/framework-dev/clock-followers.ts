import { type AdvanceableClock, systemClock } from '@botwright/clock'
import { BoundedMap } from '@botwright/protocol/facts'
import * as z from 'zod'
import { BETWEEN_POLLS_MS, DevPoll } from './dev-poll.ts'

const BOTS = 16
/** A bot may have a lot to do in the days that it skips, and the computer something else. */
const MOVE_MS = 120_000
/** A bot that moves reports each step; one that is silent for so long has ended, or hangs. It needs up to 5 s for a step. */
const SILENT_MS = 10_000
/** A bot that polls again so often instead of moving does not follow. One that follows polls again after a failed call. */
const MOST_UNMOVED = 2
const LOOK_AGAIN_MS = 1000

/** How the runs of a file's handler ended while the clock moved. */
export const FileRuns = z.object({
  file: z.string(),
  runs: z.int(),
  failed: z.int(),
  repeated: z.int().describe('the failed runs that the bot runs again by itself'),
  errors: z
    .array(z.object({ at: z.string(), message: z.string() }))
    .max(20)
    .describe('the first different errors, each with its line'),
})
export type FileRuns = z.infer<typeof FileRuns>

/** A bot that polls the clock. `ran`: undefined if it has not moved its clock the whole way. `follows`: it has moved, or is still moving. */
export interface FollowedBot {
  id: string
  ran: readonly FileRuns[] | undefined
  follows: boolean
}

interface Follower {
  poll: DevPoll
  /** How far its clock is ahead of the system's. */
  aheadMs: number
  /** How far it has to be ahead. */
  dueMs: number
  /** It has received `dueMs`, and has not reported that it has moved the whole way. */
  isMoving: boolean
  /** When (monotonic) it last polled or moved. */
  heardMs: number
  /** How often it polled again instead of moving. */
  unmoved: number
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

  /** Moves the clocks. Resolves when each bot has followed, or does not follow; or with those that are still moving after a while. */
  async move(ms: number): Promise<FollowedBot[]> {
    const targetMs = (this.#targetMs = Math.max(this.#targetMs, this.#clock.aheadMs) + ms)
    const bots = [...this.#bots].filter(([, bot]) => isThere(bot))
    for (const [, { poll }] of bots) poll.end()
    const isStillThere = (id: string, bot: Follower) => this.#bots.get(id) === bot && isThere(bot)
    const ranOf = ({ report }: Follower) => (report && report.aheadMs >= targetMs ? report.ran : undefined)
    await new Promise<void>((resolve) => {
      const look = () => {
        if (bots.every(([id, bot]) => ranOf(bot) || !isStillThere(id, bot))) return end()
        again.cancel()
        again = systemClock.after(LOOK_AGAIN_MS, look)
      }
      const end = () => {
        again.cancel()
        late.cancel()
        this.#waiting.delete(look)
        resolve()
      }
      let again = systemClock.after(LOOK_AGAIN_MS, look)
      const late = systemClock.after(MOVE_MS, end)
      this.#waiting.add(look)
      look()
    })
    this.#advance()
    return bots.map(([id, bot]) => {
      const ran = ranOf(bot)
      return { id, ran, follows: ran !== undefined || isStillThere(id, bot) }
    })
  }

  /** Waits until a bot has to move its clock. Resolves with the time by which it has to be ahead of the system's. */
  async poll(botId: string, aheadMs: number, onDisconnect: (end: () => void) => void): Promise<number> {
    const bot = this.#of(botId, aheadMs)
    bot.aheadMs = aheadMs
    bot.heardMs = systemClock.monotonic()
    if (bot.isMoving && ++bot.unmoved === MOST_UNMOVED) for (const look of this.#waiting) look()
    await bot.poll.wait(this.#targetMs > aheadMs, onDisconnect)
    bot.heardMs = systemClock.monotonic()
    bot.dueMs = Math.max(this.#targetMs, aheadMs)
    bot.isMoving = bot.dueMs > aheadMs
    return bot.dueMs
  }

  /** A bot is about to move its clock so far; `ran`: it has moved the whole way. */
  moves(botId: string, aheadMs: number, ran: readonly FileRuns[] | undefined): void {
    const bot = this.#of(botId, aheadMs)
    bot.aheadMs = aheadMs
    bot.heardMs = systemClock.monotonic()
    bot.unmoved = 0
    if (ran) {
      bot.report = { aheadMs, ran }
      bot.isMoving = aheadMs < bot.dueMs
    }
    this.#advance()
    for (const look of this.#waiting) look()
  }

  /** Moves the clock of the service as far as all bots that follow have moved theirs. */
  #advance(): void {
    const slowestMs = Math.min(...[...this.#bots.values()].filter(isThere).map((one) => one.aheadMs), this.#targetMs)
    this.#clock.advance(Math.max(slowestMs - this.#clock.aheadMs, 0))
  }

  /** Ends the waiting poll of a bot, and no longer waits for the bot: its token is no longer valid. */
  forget(botId: string): void {
    this.#bots.get(botId)?.poll.end()
    this.#bots.delete(botId)
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
    const heardMs = systemClock.monotonic()
    const bot = {
      poll: new DevPoll(),
      aheadMs,
      dueMs: aheadMs,
      isMoving: false,
      heardMs,
      unmoved: 0,
      report: undefined,
    }
    this.#bots.set(botId, bot)
    return bot
  }
}

/** Whether a bot follows, as far as it is known. It does not poll while it moves. */
function isThere({ poll, isMoving, heardMs, unmoved }: Follower): boolean {
  const silentMs = systemClock.monotonic() - heardMs
  if (isMoving) return unmoved < MOST_UNMOVED && silentMs < SILENT_MS
  return poll.isThere || silentMs < BETWEEN_POLLS_MS
}
