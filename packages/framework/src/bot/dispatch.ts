// Runs the author's files for events, and handles their results and errors. Runs in the worker.

import { elapsedOf } from '@botwright/clock'
import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { isMessageLike } from '../author/answer.ts'
import type * as author from '../author/context.ts'
import type { BotServices } from './services.ts'
import type { Context } from './context/context.ts'
import { endHandler, setInput, waitedMsOf } from './context/handler-context.ts'
import { refusalOf } from './context/refusals.ts'
import { CommandContext, MessageContext, setArgsReader } from './context/message-context.ts'
import { continueConversation } from './context/button-context.ts'
import type { EventFiles, OpenEventFiles } from './event-files.ts'
import { hasCode } from '../author/error-code.ts'
import { notifySeldom, reportFailure } from './report-failure.ts'
import type { Handler } from './compile-handler.ts'
import { guarded, type HandlerFunction, type OffGuards } from './guards/guarded.ts'
import type { Waiting, WaitingHandler } from './conversation/waiting.ts'
import type { Bot, BotHost } from './host.ts'
import type { DurableHandlers, DurableHandlersHost, Resumed } from './durable-handlers.ts'
import { type Match, Matcher, NO_BUTTON } from './match.ts'
import { isOwnEvent } from '../author/did-you-mean.ts'
import type { Apology, Outcome } from '../link/ports.ts'
import type { SwitchedDelivery } from '../link/switched-off.ts'
import { isThenable } from '../author/outgoing.ts'
import { phrase } from '../author/texts/phrase.ts'
import { readable, wholeMessage } from '../link/errors/whole-error.ts'
import { callsEnded, LifecycleContext } from './context/bot-context.ts'

/** The handling of a bot's events. */
interface Dispatch extends Required<
  Pick<Bot, 'handlerOf' | 'handle' | 'running' | 'hasOnlyCalls' | 'apologize' | 'lifecycle'>
> {
  readonly contextOf: DurableHandlersHost['contextOf']
  /** Runs a handler, or refuses if its file is switched off. */
  unlessOff(ctx: author.Context, handler: Handler, run: HandlerFunction): Promise<unknown>
  readonly files: EventFiles | undefined
}

/** The dependencies of the handling of events. */
interface DispatchHost extends BotHost {
  waiting: Waiting
  durable?: DurableHandlers | undefined
  root: string
  openFiles?: OpenEventFiles | undefined
  openSwitches: () => Promise<OffGuards>
  /** The switches when the newest delivery began. */
  switched: { off?: SwitchedDelivery['off'] }
  /** Loads a handler. */
  ready: (handler: Handler) => Promise<HandlerFunction>
}

/** Records the switches of each delivery before it is handled. */
export const withSwitches = <B extends Pick<Bot, 'handle'>>(bot: B, switched: DispatchHost['switched']): B => ({
  ...bot,
  handle: (delivery: SwitchedDelivery) => {
    switched.off = delivery.off
    return bot.handle(delivery)
  },
})

/** The result of a handler that is begun: its outcome is reported when it has ended. */
const isReported = Symbol('isReported')

/** Routes deliveries to handlers, and runs them. */
export function createDispatch(handlers: readonly Handler[], services: BotServices, host: DispatchHost): Dispatch {
  const dispatcher = new Dispatcher(handlers, services, host)
  return {
    contextOf: (...given) => dispatcher.contextOf(...given),
    unlessOff: (ctx, handler, run) => dispatcher.unlessOff(ctx, handler, run),
    handlerOf: (delivery) => dispatcher.handlerOf(delivery),
    files: dispatcher.files,
    running: ({ event }) => dispatcher.running(eventKey(event)),
    hasOnlyCalls: (delivery) => dispatcher.hasOnlyCalls(delivery),
    apologize: (delivery, why) => dispatcher.apologize(delivery, why),
    handle: (delivery) => dispatcher.handle(delivery),
    lifecycle: (moment) => dispatcher.lifecycle(moment),
  }
}

class Dispatcher {
  readonly #matcher: Matcher
  /** The events that several files handle, or files with conditions. */
  readonly #shared: ReadonlySet<string>
  readonly files: EventFiles | undefined
  /** Contexts whose event was set aside while they ran. */
  readonly #givenUp = new WeakSet<Context>()
  readonly #services: BotServices
  readonly #host: DispatchHost
  /** The runs of files whose handlers have ended, but not the calls that they did not await. */
  readonly #onlyCalls = new Set<string>()
  /** The files whose handlers have received an answer and work on, by its event. */
  readonly #answered = new Map<EventKey, string>()

  constructor(handlers: readonly Handler[], services: BotServices, host: DispatchHost) {
    this.#matcher = new Matcher(handlers, services, host)
    this.#services = services
    this.#host = host
    this.#shared = new Set(sharedEvents(handlers))
    this.files = host.openFiles?.({
      ...{ ...host, services, matcher: this.#matcher },
      run: (match) => this.#run(match.ctx, match),
      isGivenUp: (ctx) => this.#givenUp.has(ctx),
    })
  }

  handlerOf(delivery: Delivery): string | undefined {
    const { ctx, handler } = this.#matcher.match(delivery)
    const name = handler?.entry.kind === 'event' ? handler.entry.name : ''
    return this.#shared.has(name) ? this.#matcher.filesOf(name, delivery).join(', ') : ctx?.file
  }

  contextOf(delivery: Delivery, handler: Handler, given: BotServices, resumed?: Resumed): Context | undefined {
    const isEvent = handler.entry.kind === 'event'
    const matched = isEvent ? this.#matcher.event(delivery, handler, given) : this.#matcher.match(delivery, given)
    if (matched.handler !== handler) return undefined
    setReader(matched.ctx, handler)
    if (resumed) resume(matched.ctx, resumed)
    return matched.ctx
  }

  handle(delivery: Delivery): void | Promise<void> {
    return this.#host.waiting.idle ? this.#handle(delivery) : this.#resumeOrHandle(delivery)
  }

  /** An answer that a handler waits for goes only to that handler. */
  #resumeOrHandle(delivery: Delivery): void | Promise<void> {
    const { matched } = this.#services.layer
    const key = eventKey(delivery.event)
    let ended: (() => void) | undefined
    const passed = (to: WaitingHandler): void => {
      this.#answered.set(key, to.file)
      if (matched) ended = matched({ reason: 'for_waiting_handler', to })
    }
    const taken = this.#host.waiting.take(delivery, () => this.#handle(delivery), passed)
    if (!taken) return this.#handle(delivery)
    return taken.finally(() => {
      this.#answered.delete(key)
      ended?.()
    })
  }

  /** The files that run for an event besides the one that handles it. */
  running(event: EventKey): readonly string[] | undefined {
    const answered = this.#answered.get(event)
    return answered === undefined ? this.files?.running(event) : [answered]
  }

  #handle(delivery: Delivery): void | Promise<void> {
    const match = this.#matcher.match(delivery)
    const { ctx, handler } = match
    if (!ctx) return this.#report(match)
    const name = handler?.entry.kind === 'event' ? handler.entry.name : undefined
    if (name !== undefined && this.#shared.has(name)) return this.files!.run(delivery, this.#matcher.events(name))
    this.#report(match)
    return this.#run(ctx, match)
  }

  #report(match: Match): void {
    const { matched } = this.#services.layer
    if (matched) matched(this.#matcher.resultOf(match))
  }

  /** Runs one handler. Never throws: errors are reported. A synchronous handler costs no promise and no closure. */
  #run(ctx: Context, match: Match): void | Promise<void> {
    const startedMs = this.#host.observe ? this.#now() : 0
    try {
      const result = match.handler ? this.#start(ctx, match.handler) : match.answer?.()
      if (isThenable(result)) return this.#settled(ctx, startedMs, result)
    } catch (error) {
      return this.#failed(ctx, startedMs, error)
    }
    return this.#ended(ctx, startedMs)
  }

  #start(ctx: Context, handler: Handler): unknown {
    if (this.#host.switched.off) return this.unlessOff(ctx, handler, () => this.#startOn(ctx, handler))
    return this.#startOn(ctx, handler)
  }

  async unlessOff(ctx: author.Context, { entry, defined }: Handler, run: HandlerFunction): Promise<unknown> {
    const off = this.#host.switched.off
    if (!off) return run(ctx)
    const guardsOf = await this.#host.openSwitches()
    return guarded(await guardsOf(off, ctx, entry, defined?.durable && this.#services.store), run)(ctx)
  }

  #startOn(ctx: Context, handler: Handler): unknown {
    if (handler.run) return this.#begin(ctx, handler, handler.run)
    return this.#host.ready(handler).then((run) => this.#begin(ctx, handler, run))
  }

  #begin(ctx: Context, handler: Handler, run: HandlerFunction): unknown {
    const isOfBot = ctx instanceof MessageContext && ctx.kind === 'event' && ctx.author.bot
    if (isOfBot && !this.#matcher.receivesBots(handler)) {
      this.#report({ reason: 'bot_message' })
      return undefined
    }
    const { durable } = this.#host
    if (durable && handler.defined?.durable) return durable.begin(ctx).then(() => isReported)
    setReader(ctx, handler)
    return run(ctx)
  }

  async #settled(ctx: Context, startedMs: number, running: PromiseLike<unknown>): Promise<void> {
    try {
      if ((await running) === isReported) return endHandler(ctx)
    } catch (error) {
      return this.#failed(ctx, startedMs, error)
    }
    return this.#ended(ctx, startedMs)
  }

  async #failed(ctx: Context, startedMs: number, error: unknown): Promise<void> {
    const { giveUp, log, root } = this.#host
    // The bot is about to stop. Dead-letter the event, so that it can be replayed once the token is fixed.
    if (hasCode(error, 'ERR_UNAUTHORIZED')) {
      this.#givenUp.add(ctx)
      giveUp?.(ctx.envelope, 'the service refused the bot token (401) while it ran', ctx.file)
    }
    return this.#ended(ctx, startedMs, await reportFailure(error, ctx, { root, log }))
  }

  #ended(ctx: Context, startedMs: number, error?: Outcome['error']): void | Promise<void> {
    endHandler(ctx)
    const ms = this.#host.observe ? this.#now() - startedMs : 0
    const calls = callsEnded(ctx)
    if (!calls) return this.#observed(ctx, ms, error)
    const run = runOf(eventKey(ctx.envelope), ctx.file)
    this.#onlyCalls.add(run)
    return calls.then(() => {
      this.#onlyCalls.delete(run)
      this.#observed(ctx, ms, error)
    })
  }

  #observed(ctx: Context, ms: number, error?: Outcome['error']): void {
    const reason = refusalOf(ctx)
    const waitedMs = waitedMsOf(ctx)
    this.#host.observe?.({
      eventId: eventKey(ctx.envelope),
      type: ctx.envelope.type,
      file: ctx.file === NO_BUTTON ? undefined : ctx.file,
      ms,
      ...(waitedMs > 0 && { waitedMs }),
      result: error ? 'error' : reason === undefined ? 'ok' : 'refused',
      ...(error && { error }),
      ...(reason !== undefined && { reason }),
    })
  }

  #now(): number {
    return elapsedOf(this.#host.clock).monotonic()
  }

  hasOnlyCalls(delivery: Delivery, file = this.handlerOf(delivery)): boolean {
    const key = eventKey(delivery.event)
    const files = this.files?.running(key) ?? [file ?? '']
    return files.every((one) => this.#onlyCalls.has(runOf(key, one)))
  }

  async apologize(delivery: Delivery, why: Apology): Promise<void> {
    const { ctx } = this.#matcher.match(delivery)
    // The user has had the answers of handlers that have ended.
    if (!ctx || this.hasOnlyCalls(delivery, ctx.file)) return
    await notifySeldom(ctx, phrase(why), this.#host.log)
  }

  async lifecycle(moment: 'ready' | 'shutdown'): Promise<void> {
    for (const handler of this.#matcher.events(moment)) {
      const { file } = handler.entry
      try {
        const run = await this.#host.ready(handler)
        const ctx = new LifecycleContext(handler.services ?? this.#services, file)
        const result = await run(ctx as never)
        await callsEnded(ctx)
        if (isMessageLike(result))
          throw new Error(
            `run returned an answer, but ${moment} has no channel to answer in: use ctx.send(channel_id, message)`,
          )
      } catch (thrown) {
        const error = readable(thrown)
        this.#host.log.error({ file, error }, `${file}: ${wholeMessage(error)}`)
      }
    }
  }
}

/** The names of events that several files handle, or files with conditions. */
export function sharedEvents(handlers: readonly Pick<Handler, 'entry'>[]): string[] {
  const events = handlers.flatMap(({ entry }) => (entry.kind === 'event' ? [entry] : []))
  const names = new Map<string, number>()
  for (const { name } of events) names.set(name, (names.get(name) ?? 0) + 1)
  return events.flatMap(({ name, conditions }) =>
    !isOwnEvent(name) && (conditions || names.get(name)! > 1) ? [name] : [],
  )
}

const runOf = (event: EventKey, file: string): string => `${event} ${file}`

function setReader(ctx: Context, { readArgs }: Handler): void {
  if (readArgs && ctx instanceof CommandContext) setArgsReader(ctx as CommandContext<unknown>, readArgs)
}

function resume(ctx: Context, { input }: Resumed): void {
  continueConversation(ctx)
  if (!input) return
  const { given } = input
  setInput(ctx, given)
  if (given && ctx instanceof CommandContext) setArgsReader(ctx as CommandContext<unknown>, () => given)
}
