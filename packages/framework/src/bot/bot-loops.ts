import type { Clock } from '@botwright/clock'
import type { Log } from '../author/ports.ts'

/** A bot that answers another bot in one channel more often than this in a minute is in a loop with it. */
const ANSWERS_TO_A_BOT = 5
const MINUTE_MS = 60_000
const MOST_KEPT = 1000

interface Talk {
  answeredMs: number[]
  told: boolean
}

/**
 * Two bots that answer each other would go on for ever. Kept for each channel and each other bot: after five answers within a minute
 * its messages there are passed over until the minute is over.
 */
export class BotLoops {
  readonly #talks = new Map<string, Talk>()
  readonly #clock: Clock
  readonly #log: Log

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  // An answer to a message of another bot was sent.
  answered(channelId: string, authorId: string): void {
    const key = `${channelId} ${authorId}`
    let talk = this.#talks.get(key)
    if (!talk) {
      if (this.#talks.size >= MOST_KEPT) for (const oldest of this.#talks.keys()) if (this.#talks.delete(oldest)) break
      this.#talks.set(key, (talk = { answeredMs: [], told: false }))
    }
    talk.answeredMs = [...this.#recent(talk), this.#clock.monotonic()]
  }

  // Whether a message of another bot is passed over. Told in the log once for each loop.
  cuts(channelId: string, authorId: string, author: string): boolean {
    const talk = this.#talks.get(`${channelId} ${authorId}`)
    if (!talk) return false
    if (this.#recent(talk).length < ANSWERS_TO_A_BOT) {
      talk.told = false
      return false
    }
    if (!talk.told) {
      talk.told = true
      this.#log.warn(
        { channel_id: channelId, author_id: authorId },
        `a loop with the bot ${author}: ${ANSWERS_TO_A_BOT} answers to it within a minute; its messages in this channel are ignored until the loop stops`,
      )
    }
    return true
  }

  #recent(talk: Talk): number[] {
    const sinceMs = this.#clock.monotonic() - MINUTE_MS
    return talk.answeredMs.filter((atMs) => atMs > sinceMs)
  }
}
