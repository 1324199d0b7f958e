import type { Clock } from '@botwright/clock'
import { BoundedMap } from '@botwright/protocol/facts'
import type { Log } from '../author/ports.ts'

/** A bot that answers another bot in one channel more often than this in a minute is in a loop with it. */
const ANSWERS_TO_A_BOT = 5
const MINUTE_MS = 60_000
const MOST_KEPT = 1000

interface BotLoop {
  answeredMs: number[]
  logged: boolean
}

/**
 * Two bots that answer each other would go on for ever. Kept for each channel and each other bot: after five answers within a minute
 * its messages there are passed over until the minute is over.
 */
export class BotLoops {
  readonly #loops = new BoundedMap<string, BotLoop>(MOST_KEPT)
  readonly #clock: Clock
  readonly #log: Log

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  // An answer to a message of another bot was sent.
  answered(channelId: string, authorId: string): void {
    const key = `${channelId} ${authorId}`
    const loop = this.#loops.get(key) ?? { answeredMs: [], logged: false }
    loop.answeredMs = [...this.#recent(loop), this.#clock.monotonic()]
    this.#loops.set(key, loop)
  }

  // Whether a message of another bot is passed over. Told in the log once for each loop.
  cuts(channelId: string, authorId: string, author: string): boolean {
    const loop = this.#loops.get(`${channelId} ${authorId}`)
    if (!loop) return false
    if (this.#recent(loop).length < ANSWERS_TO_A_BOT) {
      loop.logged = false
      return false
    }
    if (!loop.logged) {
      loop.logged = true
      this.#log.warn(
        { channel_id: channelId, author_id: authorId },
        `a loop with the bot ${author}: ${ANSWERS_TO_A_BOT} answers to it within a minute; its messages in this channel are ignored until the loop stops`,
      )
    }
    return true
  }

  #recent(loop: BotLoop): number[] {
    const sinceMs = this.#clock.monotonic() - MINUTE_MS
    return loop.answeredMs.filter((atMs) => atMs > sinceMs)
  }
}
