import type { Clock } from '@botwright/clock'
import { BoundedMap } from '@botwright/protocol/facts'
import type { Log } from '../author/ports.ts'

/** More answers per minute than this to another bot in one channel are a loop. */
const ANSWERS_TO_A_BOT = 5
const MINUTE_MS = 60_000
const MAX_LOOPS = 1000

interface BotLoop {
  answeredMs: number[]
  logged: boolean
}

/**
 * Stops endless loops of two bots that answer each other. Counts answers per channel and other bot: after five within a minute,
 * the other bot's messages in that channel are ignored until the minute is over.
 */
export class BotLoops {
  readonly #loops = new BoundedMap<string, BotLoop>(MAX_LOOPS)
  readonly #clock: Clock
  readonly #log: Log

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  // Records an answer to a message of another bot.
  recordAnswer(channelId: string, authorId: string): void {
    const key = `${channelId} ${authorId}`
    const loop = this.#loops.get(key) ?? { answeredMs: [], logged: false }
    loop.answeredMs = [...this.#recent(loop), this.#clock.monotonic()]
    this.#loops.set(key, loop)
  }

  // Whether a message of another bot is ignored. Logged once per loop.
  ignores(channelId: string, authorId: string, author: string): boolean {
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
