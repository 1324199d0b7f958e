// `ctx.stream`: shows a text while it is written, in edits at the rate that the service accepts.

import { type Clock, sleep } from '@botwright/clock'
import { BotwrightError, wellFormed } from '@botwright/protocol/facts'
import type { ActionRow, Message } from '@botwright/protocol/shapes'
import { choice } from '../../author/buttons/face.ts'
import { durationMs } from '../../author/time/duration.ts'
import { hasCode } from '../../author/error-code.ts'
import { type Page, Pages } from './pages.ts'
import type { Streamed, StreamOptions } from '../../author/sending/stream.ts'
import type { ButtonContext } from '../../bot/context/button-context.ts'
import type { Context } from '../../bot/context/context.ts'
import { postReply } from '../../bot/context/event-context.ts'
import type { BotServices } from '../../bot/services.ts'

/** Shown at the end of a text that still grows. It stays there if the process is killed. */
const CURSOR = ' ▍'
const ELLIPSIS = '…'
const DEFAULT_TIMEOUT = '5m'
/** The service accepts ten edits of a message in ten seconds, and the last one must not wait. */
const LEAST_PACE_MS = 1100
const LONGEST_PACE_MS = 10_000
/** An edit that takes longer was refused at first, and the client waited as the service asked (§8); or the service is slow. */
const SLOW_EDIT_MS = 900

/** The pace of all streams of a thread: they share the edits that the service accepts. In one channel, these are 60 a minute. */
export class Pace {
  readonly #clock: Clock
  readonly #active = new Map<string | null, number>()
  #streams = 0
  #ms = LEAST_PACE_MS

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The time between two edits of a stream in a channel. */
  msIn(channel: string | null): number {
    return this.#ms * Math.max(1, this.#streams / 2, this.#active.get(channel) ?? 0)
  }

  begin(channel: string | null): void {
    this.#streams++
    this.#active.set(channel, (this.#active.get(channel) ?? 0) + 1)
  }

  end(channel: string | null): void {
    this.#streams--
    const left = (this.#active.get(channel) ?? 0) - 1
    if (left > 0) this.#active.set(channel, left)
    else this.#active.delete(channel)
  }

  /** Edits a message, and slows down or speeds up by how long that takes. */
  async edit(work: () => Promise<unknown>): Promise<void> {
    const beganMs = this.#clock.monotonic()
    try {
      await work()
    } finally {
      const wasSlow = this.#clock.monotonic() - beganMs > SLOW_EDIT_MS
      this.#ms = wasSlow ? Math.min(this.#ms * 1.5, LONGEST_PACE_MS) : Math.max(this.#ms * 0.95, LEAST_PACE_MS)
    }
  }
}

export interface StreamHost {
  ctx: Context
  services: BotServices
  clock: Clock
  pace: Pace
  /** Posts a message with a button, whose click may arrive before the response. */
  readonly asking: (post: () => Promise<Message>) => Promise<Message>
  /** Waits for a click of the event's user on a message. */
  readonly clicked: (message: Message, timeoutMs: number) => Promise<ButtonContext>
}

/** Shows a source until its end, and resolves with the whole text. Rejects with the error of the source or of the service. */
export async function streamText(
  host: StreamHost,
  source: AsyncIterable<string>,
  options: StreamOptions,
): Promise<Streamed> {
  const { ctx, clock, pace } = host
  const timeoutMs = durationMs(options.timeout ?? DEFAULT_TIMEOUT, `${ctx.file}: timeout`)
  const [stopped, late, failed] = [new AbortController(), new AbortController(), new AbortController()]
  const timer = clock.after(timeoutMs, () => late.abort())
  const given = options.signal ? [options.signal] : []
  const signal = AbortSignal.any([stopped.signal, late.signal, failed.signal, ...given])
  const pages = new Pages(CURSOR.length)
  const shown = new ShownPages(host, { ...options, timeoutMs, onStop: () => stopped.abort() })
  let text = ''
  let isOver = false
  let ring = () => {}
  let news = new Promise<void>((resolve) => (ring = resolve))
  const reading = readAll(ctx, source, signal, (chunk) => {
    text += chunk
    pages.add(chunk)
    ring()
  }).finally(() => {
    isOver = true
    ring()
  })
  const ended = reading.then(
    () => {},
    () => {},
  )
  pace.begin(ctx.channel_id)
  try {
    for (await news; !isOver; await news) {
      news = new Promise((resolve) => (ring = resolve))
      await shown.show(pages.all(CURSOR), true)
      const pause = new AbortController()
      // The pause ends early, by an abort, if the source ends.
      await Promise.race([sleep(clock, pace.msIn(ctx.channel_id), pause.signal).catch(() => {}), ended])
      pause.abort()
    }
    let isWhole = false
    try {
      isWhole = await reading
    } finally {
      await shown.show(pages.all(isWhole ? '' : ELLIPSIS), false)
    }
    return {
      text: wellFormed(text),
      messages: shown.messages,
      end: isWhole ? 'complete' : late.signal.aborted ? 'timeout' : 'stopped',
    }
  } catch (error) {
    // If a message cannot be shown, the source is not read any further.
    failed.abort()
    await ended
    throw error
  } finally {
    timer.cancel()
    pace.end(ctx.channel_id)
  }
}

/** The messages of a stream, edited until they show their pages. */
class ShownPages {
  readonly messages: Message[] = []
  readonly #host: StreamHost
  readonly #options: StreamOptions & { timeoutMs: number; onStop: () => void }
  /** The content of each message, and whether it has the button. */
  readonly #shown: string[] = []

  constructor(host: StreamHost, options: StreamOptions & { timeoutMs: number; onStop: () => void }) {
    this.#host = host
    this.#options = options
  }

  /** `grows`: the last message has the button that stops the text. */
  async show(pages: readonly Page[], grows: boolean): Promise<void> {
    const { services, pace } = this.#host
    const { stop } = this.#options
    for (const [at, { content }] of pages.entries()) {
      const row = stop !== undefined && grows && at === pages.length - 1 ? [stopRow(stop)] : undefined
      const state = `${row ? 'stop' : ''}\n${content}`
      if (this.#shown[at] === state) continue
      const message = this.messages[at]
      if (message) {
        const change = { content, ...(stop !== undefined && { components: row ?? null }) }
        const { channel_id, id: message_id } = message
        await pace.edit(() =>
          services.call('messages.update', { channel_id, message_id, ...change }, { priority: 'reply' }),
        )
      } else {
        const post = () => this.#post(at, { content, ...(row && { components: row }) })
        const posted = await (row ? this.#host.asking(post) : post())
        this.messages.push(posted)
        if (row) void this.#awaitStop(posted)
      }
      this.#shown[at] = state
    }
  }

  async #post(at: number, body: { content: string; components?: ActionRow[] }): Promise<Message> {
    const { ctx, services } = this.#host
    const { channel_id } = this.messages[0] ?? {}
    if (at > 0 && channel_id !== undefined) return postReply(services, { ...body, channel_id })
    const message = await (this.#options.update ? ctx.update(body) : ctx.reply(body))
    if (message) return message
    throw new BotwrightError('ERR_BAD_ANSWER', `${ctx.file}: the service returned no message to edit`)
  }

  async #awaitStop(message: Message): Promise<void> {
    const { ctx, clicked } = this.#host
    try {
      const click = await clicked(message, this.#options.timeoutMs)
      this.#options.onStop()
      await click.ack()
    } catch (error) {
      // The handler ended without a click.
      if (!hasCode(error, 'ERR_NO_REPLY') && !hasCode(error, 'ERR_REPLACED'))
        ctx.log.warn(error as Error, 'the button that stops a text failed')
    }
  }
}

const stopRow = (label: string): ActionRow => ({ type: 'row', components: [choice('stop', { label })] })

/** Reads a source to its end, or until the signal aborts: then it resolves with false. */
async function readAll(
  ctx: Context,
  source: AsyncIterable<string>,
  signal: AbortSignal,
  take: (chunk: string) => void,
): Promise<boolean> {
  const iterator = source[Symbol.asyncIterator]()
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  let isDone = false
  try {
    for (;;) {
      const next = signal.aborted ? undefined : await Promise.race([iterator.next(), aborted])
      if (next === undefined) return false
      if (next.done === true) {
        isDone = true
        return true
      }
      if (typeof next.value !== 'string') throw notText(ctx, next.value)
      take(next.value)
    }
  } finally {
    // A source that is busy ends later; its handler is not kept waiting.
    if (!isDone)
      void Promise.resolve(iterator.return?.()).catch((error: unknown) =>
        ctx.log.debug(error as Error, 'the source of a text failed after its end'),
      )
  }
}

const notText = ({ file }: Context, value: unknown) =>
  new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${file}: ctx.stream requires a source of strings, but it yielded ${value === null ? 'null' : typeof value}: yield each part as a string`,
  )
