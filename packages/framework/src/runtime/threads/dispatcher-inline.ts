import { drain, sleep } from '@botwright/clock'
import { orAborted } from '@botwright/clock/timers'
import { type Delivery, EarlyRuns, type EventKey, Unfinished } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import { answerKey } from '../../link/answer-key.ts'
import {
  stoppingError,
  deadLetter,
  limitLifecycle,
  loadRequest,
  asBegun,
  type BotDispatcher,
  type DispatcherOptions,
} from './dispatcher.ts'
import { Link } from '../../link/link.ts'
import type { BotSide } from '../../bot/bot-side.ts'
import type { BotPort, Moment, RuntimePort } from '../../link/messages.ts'
import type { BotSource, LoadedCode, RunEnd } from '../../link/ports.ts'
import { runtimePort } from './runtime-port.ts'

/** How soon code that could not be loaded again is loaded once more. */
const RELOAD_MS = 1000

/** One load of the bot's code in this thread. It stays until its handlers and conversations end. */
interface InlineCode {
  link: Link<RuntimePort, BotPort>
  loaded: LoadedCode
  /** Runs the handlers. Events do not pass the link, whose frames and promises cost time. */
  side: BotSide
  /** The deliveries of its running handlers, with the function that gives it up. */
  running: Map<Delivery, () => void>
  /** The events whose handlers wait for a user. */
  conversations: ReadonlySet<EventKey>
  /** Closes its link: nothing that its handlers do has an effect after this. */
  close(reason: Error): void
}

/**
 * Runs handlers in this thread: for embedding, tests and the smallest bots.
 * A handler that blocks its thread blocks the runtime too, and replaced code stays in memory; with workers neither happens.
 */
export class InlineDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  readonly #codes = new Set<InlineCode>()
  readonly #early = new EarlyRuns()
  /** Replaced or abandoned code: its timers and disposers may run on, so it is closed with the bot. */
  readonly #former: InlineCode[] = []
  /** The code in which a handler waits for an answer, by its key. */
  readonly #waiting = new Map<string, InlineCode['link']>()
  #code: InlineCode | undefined
  #source: BotSource | undefined
  /** Set while abandoned code is loaded again; deliveries wait for it. */
  #renewing: Promise<unknown> | undefined
  #loading: Promise<unknown> = Promise.resolve()
  readonly #stop = new AbortController()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  get running(): number {
    return [...this.#codes].reduce((sum, { running }) => sum + running.size, this.#early.size)
  }

  get deliveries(): readonly Delivery[] {
    return [...this.#codes].flatMap(({ running }) => [...running.keys()])
  }

  dispatch(delivery: Delivery, ended?: (end: RunEnd) => void): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.reject(new Unfinished())
    if (!this.#code) throw new Error('the dispatcher cannot run handlers: it has no code')
    const before = this.#renewing ?? this.#options.switches?.refreshed?.()
    if (before) return this.#early.after(before, () => this.dispatch(delivery, ended))
    const waiting = this.#waiting.size > 0 && this.#waiting.get(answerKey(delivery.event) ?? '')
    const code = waiting ? [...this.#codes].find(({ link }) => link === waiting)! : this.#code
    return new Promise((settle, giveUp) => {
      const settled = (end: RunEnd | void) => {
        // Closed code has given it up.
        if (!code.running.delete(delivery)) return
        if (end) ended?.(end)
        settle()
        this.#endIdle()
      }
      code.running.set(delivery, () => giveUp(new Unfinished()))
      const running = code.side.run(asBegun(delivery, this.#options))
      void (running ? running.then(settled) : settled())
    })
  }

  isAwaited(key: string): boolean {
    return this.#waiting.has(key)
  }

  async replace(source: BotSource, { signal }: { signal?: AbortSignal } = {}): Promise<LoadedCode> {
    if (this.#stop.signal.aborted) throw stoppingError()
    // One after the other, so that the newest code is the last.
    return (this.#loading = this.#loading.catch(() => {}).then<LoadedCode>(() => this.#take(source, signal)))
  }

  /** Rejects once the signal aborts or the bot stops: code that loads nevertheless is disposed of. */
  async #take(source: BotSource, signal: AbortSignal | undefined): Promise<LoadedCode> {
    const loading = this.#load(source)
    try {
      const code = await orAborted(loading, signal, this.#stop.signal)
      this.#stop.signal.throwIfAborted()
      this.#codes.add(code)
      this.#code = code
      this.#source = source
      this.#endIdle()
      return code.loaded
    } catch (error) {
      loading.then((code) => code.side.dispose().then(() => code.close(error as Error))).catch(() => {})
      throw error
    }
  }

  async #load(source: BotSource): Promise<InlineCode> {
    const { BotSide } = await import('../../bot/bot-side.ts')
    const conversations = new Set<EventKey>()
    const local = runtimePort(this.#options, {
      onWaits: (key, on) => this.#onWaits(link, key, on),
      onConversation: (eventId, on) => {
        if (on) conversations.add(eventId)
        else if (conversations.delete(eventId)) this.#endIdle()
      },
      onDeadLetter: (event, reason, file) => deadLetter(this.#options, event, { reason, file }),
    })
    const link: InlineCode['link'] = new Link({ local, sameThread: true, post: (frames) => side.link.receive(frames) })
    const side = new BotSide({
      sameThread: true,
      post: (frames) => link.receive(frames),
      clock: this.#options.clock,
      disposalLog: this.#options.log,
    })
    const running: InlineCode['running'] = new Map()
    const close = (reason: Error) => {
      side.close(reason)
      link.close(reason)
      if (!this.#stop.signal.aborted) for (const giveUp of running.values()) giveUp()
      running.clear()
    }
    const loading = link.request.bot.load(loadRequest(source, this.#options))
    const loaded = await loading.catch((error: Error) => {
      close(error)
      throw error
    })
    return { link, side, loaded, running, conversations, close }
  }

  #onWaits(link: InlineCode['link'], key: string, on: boolean): void {
    const former = this.#waiting.get(key)
    if (on) {
      if (former !== link) former?.notify.bot.replaced(key)
      this.#waiting.set(key, link)
    } else if (former === link) this.#waiting.delete(key)
    else return
    this.#options.onWaits?.(key, on)
  }

  async abandon(): Promise<void> {
    this.#early.giveUp()
    for (const code of this.#codes) code.close(fenced())
    this.#former.push(...this.#codes)
    this.#codes.clear()
    for (const [key, link] of this.#waiting) this.#onWaits(link, key, false)
    if (!this.#source || this.#stop.signal.aborted) return
    const renewing = this.#renew().finally(() => {
      if (this.#renewing === renewing) this.#renewing = undefined
    })
    this.#renewing = renewing
    await renewing
  }

  /** Loads the code again, until that works, once the former one is disposed of. */
  async #renew(): Promise<void> {
    await Promise.all(this.#former.map((code) => code.side.dispose()))
    while (!this.#stop.signal.aborted && this.#codes.size === 0)
      try {
        return void (await this.replace(this.#source!))
      } catch (error) {
        const text = `the bot could not be loaded again: ${(error as Error).message}; trying again`
        if (!this.#stop.signal.aborted) this.#options.log.error({ error }, text)
        await sleep(this.#options.clock, RELOAD_MS)
      }
  }

  async files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]> {
    await this.#renewing
    return (await this.#code?.link.request.bot.files(deliveries)) ?? []
  }

  async lifecycle(moment: Moment): Promise<void> {
    if (this.#code) await limitLifecycle(this.#options, moment, this.#code.link.request.bot.lifecycle(moment))
  }

  async close({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#stop.abort(stoppingError())
    const unfinished = await drain(this.#options.clock, () => this.running, graceMs)
    const codes = [...this.#former, ...this.#codes]
    await Promise.all(codes.map((code) => code.side.dispose()))
    for (const code of codes) code.close(new Error('the bot has stopped'))
    this.#codes.clear()
    return { unfinished }
  }

  /** Disposes of replaced code whose handlers and conversations have ended. */
  #endIdle(): void {
    if (this.#codes.size < 2) return
    for (const code of this.#codes) {
      if (code === this.#code || code.running.size > 0 || code.conversations.size > 0) continue
      this.#codes.delete(code)
      this.#former.push(code)
      void code.side.dispose()
    }
  }
}

const fenced = () => new BotwrightError('ERR_FENCED', 'another instance has taken over this event: nothing was done')
