import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { otherwiseRule } from './conditions.ts'
import { RETENTION_MS } from '../../author/state/once.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import { isThenable } from '../../author/outgoing.ts'
import type { Handler } from '../../bot/compile-handler.ts'
import type { Context } from '../../bot/context/context.ts'
import type { EventFiles, EventFilesHost } from '../../bot/event-files.ts'
import type { MatchResult } from '../../bot/layer.ts'
import type { Match } from '../../bot/match.ts'
import { gatherOf } from '../../author/gather.ts'
import { SharedEvents } from './shared-events.ts'

/** The ends of so many events that have ended stay stored: the journal may not have stored yet that they have. */
const MOST_ENDED = 100

/** One event and the files that may handle it. */
interface Run {
  readonly delivery: Delivery
  readonly handlers: readonly Handler[]
  readonly key: EventKey
  /** Handlers with `otherwise`. */
  readonly last: Handler[]
  /** The files that have ended. */
  readonly done: string[]
  /** The ends of handlers that still run. */
  readonly open: Promise<void>[]
  /** A file has matched. */
  matched: boolean
  /** Some of `done` is stored. */
  stored: boolean
  /** A file gathers the event. */
  gathered?: true
}

/**
 * Runs the files of an event that several files handle, or that have conditions. All that match begin in their order, and none waits for another to end.
 * Those with `otherwise` are last. If a thread or the process dies, the files that had ended do not run again.
 */
export class SeveralFiles implements EventFiles {
  readonly #host: EventFilesHost
  readonly #shared: SharedEvents
  /** The keys of events that have ended, the oldest first. */
  readonly #ended: string[] = []

  constructor(host: EventFilesHost) {
    this.#host = host
    this.#shared = new SharedEvents((event) => host.park?.(event))
  }

  readonly park = (event: EventKey, file: string): void => this.#shared.park(event, file)
  readonly running = (event: EventKey): readonly string[] | undefined => this.#shared.running(event)

  readonly run = (delivery: Delivery, handlers: readonly Handler[]): void | Promise<void> => {
    const { attempt, asked, burst, event } = delivery
    const key = eventKey(event)
    if (burst) return this.#burst(delivery, handlers)
    const run: Run = { delivery, handlers, key, last: [], done: [], open: [], matched: false, stored: false }
    this.#shared.begins(
      key,
      handlers.map(({ entry }) => entry.file),
    )
    return attempt > 1 || asked ? this.#again(run) : this.#begin(run)
  }

  /** The file that has gathered the event runs with the whole burst. Its conditions have passed. */
  async #burst(delivery: Delivery, handlers: readonly Handler[]): Promise<void> {
    const key = eventKey(delivery.event)
    const handler = handlers.find(({ entry }) => entry.file === delivery.burst!.file)
    if (!handler) return this.#unhandled(delivery)
    this.#shared.begins(key, [handler.entry.file])
    await this.#host.ready(handler).catch(nothing)
    const match = this.#host.matcher.event(delivery, handler)
    this.#report(this.#host.matcher.resultOf(match))
    await this.#host.run(match)
    this.#shared.leaves(key, handler.entry.file)
    if (handlers.length > 1 && !this.#host.isGivenUp(match.ctx)) await this.#burstEnds(delivery, handlers)
  }

  /** Another file may still gather the events: then the one that has ended does not run again for them. */
  async #burstEnds({ burst }: Delivery, handlers: readonly Handler[]): Promise<void> {
    const { events, file } = burst!
    const othersGather = handlers.some(({ entry }) => entry.file !== file && gatherOf(entry))
    const ends = async (key: EventKey) =>
      othersGather ? this.#store(key, [...(await this.#doneOf(key)), file]) : this.#forgetLater(key)
    await Promise.all(events.map((event) => ends(eventKey(event))))
  }

  /** An event that is delivered again: without the files that had ended. */
  async #again(run: Run): Promise<void> {
    run.done.push(...(await this.#doneOf(run.key)))
    run.stored = run.done.length > 0
    // New code may no longer have the file.
    run.matched = run.done.some((file) => !run.handlers.some(({ entry }) => entry.file === file))
    await this.#begin(run)
  }

  /** The files that have ended, as they are stored. */
  async #doneOf(key: EventKey): Promise<string[]> {
    const { log, services } = this.#host
    const found = await services.store.get(storeKey(key)).catch((error: Error) => {
      log.warn({ error }, `event ${key}: all of its files run again, because the store failed: ${error.message}`)
      return undefined
    })
    return Array.isArray(found?.value) ? (found.value as string[]) : []
  }

  #begin(run: Run): void | Promise<void> {
    const begun = this.#from(run, run.handlers, 0)
    const ended = begun ? begun.then(() => this.#lastOf(run)) : this.#lastOf(run)
    return ended ? ended.then(() => this.#close(run)) : this.#close(run)
  }

  /** Begins the handlers with `otherwise`. Settles when all handlers have ended. */
  #lastOf(run: Run): void | Promise<void> {
    if (run.matched) for (const { entry } of run.last) this.#passes(run, entry.file, otherwiseRule)
    const begun = run.matched ? undefined : this.#from(run, run.last, 0)
    return begun ? begun.then(() => this.#allOf(run)) : this.#allOf(run)
  }

  #allOf(run: Run): void | Promise<void> {
    const answered = run.matched || run.done.length > 0 ? undefined : this.#unhandled(run.delivery)
    if (answered) run.open.push(answered)
    return run.open.length === 0 ? undefined : Promise.all(run.open).then(nothing)
  }

  /** Begins the handlers from a place in the list. Stays synchronous until a condition or the load of a module is not. */
  #from(run: Run, handlers: readonly Handler[], first: number): void | Promise<void> {
    for (let i = first; i < handlers.length; i++) {
      const begun = this.#one(run, handlers[i]!, handlers === run.last)
      if (begun) return begun.then(() => this.#from(run, handlers, i + 1))
    }
    return undefined
  }

  /** Begins a handler if its conditions pass. Never rejects. */
  #one(run: Run, handler: Handler, isLast: boolean): void | Promise<void> {
    // A module that cannot be loaded is reported by its run.
    if (!handler.run)
      return this.#host
        .ready(handler)
        .then(nothing, nothing)
        .then(() => this.#decide(run, handler, isLast))
    return this.#decide(run, handler, isLast)
  }

  #decide(run: Run, handler: Handler, isLast: boolean): void | Promise<void> {
    const { entry, defined } = handler
    const conditions = defined?.conditions
    if (run.done.includes(entry.file)) {
      // Another file with `otherwise`, which began together with it, may not have ended.
      run.matched ||= !conditions?.otherwise
      return void this.#shared.leaves(run.key, entry.file)
    }
    if (!this.#host.matcher.receives(handler, run.delivery)) return this.#passes(run, entry.file)
    if (conditions?.otherwise && !isLast) return void run.last.push(handler)
    const match = this.#host.matcher.event(run.delivery, handler)
    if (!conditions) return this.#start(run, match)
    if (conditions.match && !('match' in match.ctx))
      return this.#passes(run, entry.file, inEnglish(conditions.rules[0]!))
    const decide = (from: number): void | Promise<void> => {
      for (let i = from; i < conditions.when.length; i++) {
        const guard = conditions.when[i]!
        const verdict = guard.check(match.ctx, `${entry.file}#when${i}`)
        if (isThenable(verdict))
          return verdict.then((one) =>
            one === true ? decide(i + 1) : this.#passes(run, entry.file, inEnglish(guard.describe)),
          )
        if (verdict !== true) return this.#passes(run, entry.file, inEnglish(guard.describe))
      }
      return this.#start(run, match)
    }
    try {
      return decide(0)?.catch((error: unknown) => this.#fails(run, match.ctx, error))
    } catch (error) {
      return this.#fails(run, match.ctx, error)
    }
  }

  /** The file does not run. */
  #passes(run: Run, file: string, rule?: string): void {
    this.#report(rule === undefined ? { reason: 'bot_message', file } : { reason: 'condition', file, rule })
    this.#shared.leaves(run.key, file)
  }

  #fails(run: Run, ctx: Context, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error))
    this.#start(run, { ctx, reason: 'no_file', answer: () => Promise.reject(reason) })
  }

  #start(run: Run, match: Match & { ctx: Context }): void {
    run.matched = true
    if (run.delivery.gathers && match.handler && gatherOf(match.handler.entry))
      return this.#gathers(run, match.ctx.file)
    if (match.handler) this.#report(this.#host.matcher.resultOf(match))
    const ended = this.#host.run(match)
    if (ended) run.open.push(ended.then(() => this.#ends(run, match.ctx)))
    else this.#ends(run, match.ctx)
  }

  /** The file runs later, with the whole burst. If the process dies before that, the files that have ended do not run again. */
  #gathers(run: Run, file: string): void {
    this.#report({ reason: 'gathered', file })
    this.#host.gathers?.(run.key, file)
    run.gathered = true
    this.#shared.leaves(run.key, file)
    if (run.done.length > 0) this.#storeOf(run)
  }

  /** A handler has ended. While others run, that is stored: if they end the thread, it does not run again. */
  #ends(run: Run, ctx: Context): void {
    const { isGivenUp, sendNow } = this.#host
    run.done.push(ctx.file)
    const othersRun = this.#shared.leaves(run.key, ctx.file)
    if (!(othersRun || run.gathered) || isGivenUp(ctx)) return
    this.#storeOf(run)
    // The next handler may block the thread.
    sendNow?.()
  }

  #storeOf(run: Run): void {
    run.stored = true
    void this.#store(run.key, run.done)
  }

  /** Never rejects. */
  async #store(key: EventKey, done: readonly string[]): Promise<void> {
    const { clock, log, services } = this.#host
    await services.store
      .set(storeKey(key), done, { expiresAtMs: clock.now() + RETENTION_MS })
      .catch((error: Error) => log.debug({ error }, `${done.join(', ')}: their end was not stored: ${error.message}`))
  }

  /** No file handles the event. */
  #unhandled(delivery: Delivery): void | Promise<void> {
    const { matcher, run } = this.#host
    const match = matcher.unhandled(delivery)
    this.#report(matcher.resultOf(match))
    return match.ctx && run({ ...match, ctx: match.ctx })
  }

  #report(result: MatchResult): void {
    this.#host.services.layer.matched?.(result)
  }

  #close({ key, stored, gathered }: Run): void {
    if (stored && !gathered) this.#forgetLater(key)
  }

  #forgetLater(key: EventKey): void {
    if (this.#ended.push(storeKey(key)) <= MOST_ENDED) return
    this.#host.services.store.delete(this.#ended.shift()!).catch(nothing)
  }
}

const storeKey = (key: EventKey): string => `handled:${key}`

const nothing = (): void => {}
