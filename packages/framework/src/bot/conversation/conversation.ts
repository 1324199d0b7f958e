import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import { durationWords } from '../../author/duration.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { PersonError } from '../../author/texts/person-error.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { conversationKey, type StoredConversation } from '../../link/conversation/lost-conversations.ts'
import type { Waiting } from './waiting.ts'

/** What a conversation needs of the bot around it. */
export interface ConversationHost {
  readonly clock: Clock
  readonly store: StateStore
  readonly log: Log
  readonly waiting: Waiting
  /** Lets the lane of an event go on although its handler has not ended. */
  readonly park: (eventId: number) => void
}

/**
 * One handler that talks with somebody. While it waits, the events of its channel go on, and it is noted in the store: a restart
 * cannot go on in the middle of a function, but it can tell the person.
 */
export class Conversation {
  readonly #host: ConversationHost
  readonly #eventId: number
  readonly #kept: () => Promise<StoredConversation>
  #noted: Promise<unknown> | undefined
  #settle: (() => void) | undefined
  /** Ends what it waits for: a handler may wait for several things at once, and end with the first. */
  readonly #stops = new Set<() => void>()
  #over = false
  /** The person's last answer: what is asked upon it replies to it. */
  answer: { channel_id: string; id: string } | undefined

  /** `kept` is what the store keeps of it while it waits. */
  constructor(host: ConversationHost, eventId: number, kept: () => Promise<StoredConversation>) {
    this.#host = host
    this.#eventId = eventId
    this.#kept = kept
  }

  /**
   * Waits for an event: `late` when it did not come in time, `replaced` when somebody was asked something newer, or the handler has
   * ended. Rejects when it cannot be noted, and where the handler ended before.
   */
  async wait(options: {
    key: string
    accepts: (delivery: Delivery) => boolean
    timeoutMs: number
  }): Promise<{ delivery: Delivery } | 'late' | 'replaced'> {
    const { clock, waiting } = this.#host
    if (this.#over) throw new BotwrightError('ERR_INVALID_REQUEST', unawaited)
    const { answer, stop } = waiting.wait(options.key, options.accepts)
    this.#stops.add(stop)
    let late = false
    const timer = clock.after(options.timeoutMs, () => {
      if (waiting.closed) return
      late = true
      stop()
    })
    try {
      await this.#pause()
      const given = await answer
      if (!given) return late ? 'late' : 'replaced'
      if (this.#over) {
        given.settle()
        return 'replaced'
      }
      this.#settle?.()
      this.#settle = given.settle
      return given
    } catch (error) {
      stop()
      // What has come all the same holds nobody up.
      void answer.then((given) => given?.settle())
      throw error
    } finally {
      timer.cancel()
      this.#stops.delete(stop)
    }
  }

  /** The handler has ended. */
  async end(): Promise<void> {
    const { store, log, waiting } = this.#host
    this.#over = true
    for (const stop of this.#stops) stop()
    this.#settle?.()
    this.#settle = undefined
    try {
      await this.#noted
      await store.delete(conversationKey(this.#eventId))
    } catch (error) {
      log.warn({ error }, `a finished conversation could not be removed from the store: ${(error as Error).message}`)
    } finally {
      waiting.talks(this.#eventId, false)
    }
  }

  /** What comes next in the channel may go on: the answer is among it. */
  async #pause(): Promise<void> {
    const { store, waiting, park } = this.#host
    if (!this.#noted) {
      waiting.talks(this.#eventId, true)
      this.#noted = this.#kept().then((kept) => store.set(conversationKey(this.#eventId), kept))
      await this.#noted
      park(this.#eventId)
    }
    this.#settle?.()
    this.#settle = undefined
  }
}

const unawaited = 'a handler asked a question after it ended: await ctx.ask, ctx.choose and ctx.clicked'

/** What a handler is told, and its person, when no answer came. */
export const noReply = (timeoutMs: number, again: Words): PersonError =>
  new PersonError('ERR_NO_REPLY', [phrase('ask.no_answer', { time: durationWords(timeoutMs) }), again])
