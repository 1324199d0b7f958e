import { sleep } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { BotwrightError, cut, limits } from '@botwright/protocol/facts'
import { durationWords } from '../../author/time/duration.ts'
import { hasCode } from '../../author/error-code.ts'
import { PersonError } from '../../author/texts/person-error.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { conversationKey, type StoredConversation } from './lost-conversations.ts'
import type { AnswerWait, QuestionsHost, Talk } from '../../bot/conversation/questions-host.ts'
import type { WaitingHandler } from '../../bot/conversation/waiting.ts'

/** After this time, a record that could not be removed is removed again. */
const RETRY_MS = 5000
/** After this time, the next question renews the record: a restart notifies the users of questions of the last day. */
const RENEW_MS = 60 * 60_000

/** Accepts the events since a time. An event without a time is accepted. */
export const isSince =
  (sinceMs: number) =>
  ({ event }: Delivery): boolean =>
    sinceMs === 0 || !(Date.parse(String(event.data['created_at'])) < sinceMs)

/** A handler that asks users. `key`: that of its run. */
interface ConversingHandler extends WaitingHandler {
  readonly key: string
}

/**
 * The conversation of one handler with a user. While it waits, other events of its channel are handled. It is recorded in the store:
 * a restarted bot cannot resume the handler, but it can notify the user.
 */
export class Conversation implements Talk {
  readonly #host: QuestionsHost
  readonly #by: ConversingHandler
  readonly #record: () => Promise<StoredConversation>
  /** When its record was written. */
  #sinceMs = Infinity
  #saved: Promise<void> | undefined
  #settle: (() => void) | undefined
  /** Cancels the open waits. A handler may wait for several answers at once and end with the first. */
  readonly #stops = new Set<() => void>()
  #over = false
  /** The user's last answer. The next question replies to it. */
  answer: { channel_id: string; id: string } | undefined

  /** `by`: the handler. `record` returns the record to store while it waits. */
  constructor(host: QuestionsHost, by: ConversingHandler, record: () => Promise<StoredConversation>) {
    this.#host = host
    this.#by = by
    this.#record = record
  }

  /**
   * Waits for an event. Resolves with `late` at the timeout, and with `replaced` if the user was asked a newer question or the handler
   * has ended. Rejects if the record cannot be stored or the handler had already ended.
   */
  async wait(options: AnswerWait): Promise<{ delivery: Delivery } | 'late' | 'replaced'> {
    const { clock, waiting } = this.#host
    if (this.#over) throw new BotwrightError('ERR_INVALID_REQUEST', unawaited)
    const { answer, stop } = waiting.wait(options.key, {
      ...{ accepts: isSince(options.sinceMs), admits: options.admits, by: this.#by },
    })
    this.#stops.add(stop)
    let late = false
    const timer = clock.after(options.timeoutMs, () => {
      if (waiting.closed) return
      late = true
      stop()
    })
    try {
      await this.#pause()
      const received = await answer
      if (!received) return late ? 'late' : 'replaced'
      if (this.#over) {
        received.settle()
        return 'replaced'
      }
      this.#settle?.()
      this.#settle = received.settle
      return received
    } catch (error) {
      stop()
      // An answer that has arrived anyway must not block its queue.
      void answer.then((received) => received?.settle())
      throw error
    } finally {
      timer.cancel()
      this.#stops.delete(stop)
    }
  }

  /** Does work that takes long, such as showing a text that is written meanwhile. Other events of the channel are handled. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#over) throw new BotwrightError('ERR_INVALID_REQUEST', unawaited)
    await this.#pause()
    return work()
  }

  /** Ends the conversation with its handler. */
  async end(calls: Promise<void> | undefined): Promise<void> {
    const { store, log, waiting } = this.#host
    this.#over = true
    for (const stop of this.#stops) stop()
    // The last answer counts as handled after them.
    if (calls) await calls
    this.#settle?.()
    this.#settle = undefined
    // A write that failed may have been done all the same. Its error is the question's.
    await this.#saved?.catch(() => {})
    try {
      await store.delete(conversationKey(this.#by.key))
    } catch (error) {
      const fact = `a finished conversation could not be removed from the store: ${(error as Error).message}; trying again`
      log.warn({ error }, fact)
      void this.#removeLater()
    } finally {
      waiting.talks(this.#by.event, this, false)
    }
  }

  /** Removes its record, unless a further run of the event has stored its own. Otherwise the next start would report it as lost. */
  async #removeLater(): Promise<void> {
    const { clock, store, waiting } = this.#host
    const key = conversationKey(this.#by.key)
    for (;;) {
      await sleep(clock, RETRY_MS)
      if (waiting.closed) return
      try {
        const found = await store.get(key)
        const isOwn = found && (found.value as StoredConversation).sinceMs === this.#sinceMs
        if (isOwn) await store.delete(key, { expected: found.version })
        return
      } catch {
        // Tried again.
      }
    }
  }

  /** Releases the queues, so that the answer can be delivered. */
  async #pause(): Promise<void> {
    await (this.#saved ??= this.#save())
    if (this.#host.clock.now() - this.#sinceMs > RENEW_MS) await this.#renew()
    this.#settle?.()
    this.#settle = undefined
  }

  /** Renews the record. After a failure, the former one remains. */
  async #renew(): Promise<void> {
    try {
      const record = await this.#record()
      await this.#host.store.set(conversationKey(this.#by.key), record)
      this.#sinceMs = record.sinceMs
    } catch {
      // The next question tries again.
    }
  }

  /** Records the conversation and releases the queue of its event. After a failure, the next question tries again. */
  async #save(): Promise<void> {
    const { store, waiting, park } = this.#host
    waiting.talks(this.#by.event, this, true)
    try {
      const record = await this.#record()
      this.#sinceMs = record.sinceMs
      await store.set(conversationKey(this.#by.key), record)
      park(this.#by)
    } catch (error) {
      this.#saved = undefined
      throw error
    }
  }
}

const unawaited = 'a handler asked a question after it ended: await ctx.ask, ctx.choose, ctx.clicked and ctx.stream'

/** A question with a last line, within the limit of a message (§8). */
export const withLine = (content: string | undefined, line: string): string =>
  `${cut(content ?? '', limits.message_content.characters - line.length - 1)}\n${line}`.trim()

/** Whether an error ends a question without an answer: then its buttons no longer work. */
export const isUnanswered = (error: unknown): boolean =>
  hasCode(error, 'ERR_NO_REPLY', 'ERR_REPLACED', 'ERR_RUN_CANCELLED')

/** The error that the handler and the user get if no answer arrived. */
export const noReply = (timeoutMs: number, again: Words): PersonError =>
  new PersonError('ERR_NO_REPLY', [phrase('ask.no_answer', { time: durationWords(timeoutMs) }), again])
