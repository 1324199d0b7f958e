// Routes events to the author's files, and handles their results and errors. Runs in the worker.

import { elapsedOf } from '@botwright/clock'
import { argsText, authorName, didYouMean, eventTypes } from '@botwright/protocol/facts'
import type { NearSubcommand } from '@botwright/protocol/timeline'
import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { isMessageLike } from '../author/answer.ts'
import { ButtonContext } from './context/button-context.ts'
import type { BotServices } from './services.ts'
import type { Context } from './context/context.ts'
import { EventContext } from './context/event-context.ts'
import { endHandler, noteRefusal, refusalOf } from './context/handler-context.ts'
import { CommandContext, MessageContext, setArgsReader } from './context/message-context.ts'
import { choiceOf } from '../author/buttons/face.ts'
import type { SharedEvents } from './shared-events.ts'
import { splitCustomId } from '../author/buttons/custom-id.ts'
import { hasCode } from '../author/error-code.ts'
import { notifySeldom, reportFailure } from './failure.ts'
import type { Handler } from './compile-handler.ts'
import type { HandlerFunction } from './guards/guarded.ts'
import type { Waiting, WaitingHandler } from './conversation/waiting.ts'
import type { DurableRuns } from './durable/durable-runs.ts'
import type { Bot, BotHost } from './host.ts'
import type { MatchResult } from './layer.ts'
import type { Outcome } from '../link/ports.ts'
import { isThenable } from '../author/outgoing.ts'
import { PersonError } from '../author/texts/person-error.ts'
import { phrase } from '../author/texts/phrase.ts'
import { wholeMessage } from '../link/errors/whole-error.ts'
import { commandRoutes, findCommand, routeOf, nearSubcommand, subcommandMissing } from './commands/routes.ts'
import { callsEnded, LifecycleContext } from './context/bot-context.ts'

/** The match for a delivery: the context, and the handler or a replacement for it. */
interface Match {
  ctx: Context
  handler?: Handler
  run?: HandlerFunction
  near?: NearSubcommand
}

type Data = Record<string, unknown>

/** The routes of a bot. */
interface Dispatch extends Required<
  Pick<Bot, 'handlerOf' | 'handle' | 'running' | 'hasOnlyCalls' | 'apologize' | 'lifecycle'>
> {
  /** Creates the context of a delivery for its handler, with these services. */
  contextOf(delivery: Delivery, handler: Handler, services: BotServices): Context | undefined
}

/** The file of a click that no file handles. */
const NO_BUTTON = 'buttons/'

/** Whether a click is on a button of `ctx.choose`, `ctx.approve` or `ctx.stream`. */
const isQuestion = (ctx: Context): boolean => ctx instanceof ButtonContext && choiceOf(ctx.custom_id) !== undefined

/** The result of a durable handler, whose run reports its own outcome. */
const isReported = Symbol('isReported')

const known: ReadonlySet<string> = new Set(eventTypes)

/** Routes deliveries to handlers, with maps that are built once. */
export function createDispatch(
  handlers: readonly Handler[],
  services: BotServices,
  host: BotHost & { waiting: Waiting; shared: SharedEvents; durable?: DurableRuns | undefined },
  root: string,
  ready: (handler: Handler) => Promise<HandlerFunction>,
): Dispatch {
  const of = (kind: Handler['entry']['kind']) => handlers.filter(({ entry }) => entry.kind === kind)
  const commands = commandRoutes(of('command'))
  const buttons = new Map(of('button').map((handler) => [handler.entry.name, handler]))
  const events = new Map<string, Handler>()
  /** More handlers of an event, in the order of the plugins. Only bots with plugins have any. */
  const also = new Map<string, Handler[]>()
  for (const handler of of('event')) {
    const { name } = handler.entry
    if (!events.has(name)) events.set(name, handler)
    else also.set(name, [...(also.get(name) ?? []), handler])
  }

  /** The runs of files whose handlers have ended, but not the calls that they did not await. */
  const onlyCalls = new Set<string>()
  const runOf = (event: EventKey, file: string) => `${event} ${file}`

  function match(delivery: Delivery, given?: BotServices): Match | undefined {
    const { type, data } = delivery.event
    if (type === 'interaction') return matchClick(delivery, given)
    if (type === 'message') {
      if (data['author_bot'] === true && (isMe(data['author_id']) || isLoop(data))) return undefined
      const matched = typeof data['command'] === 'string' ? matchCommand(delivery, data['command'], given) : undefined
      if (matched) return matched
    } else if ((type === 'reaction_add' || type === 'reaction_remove') && isMe(data['user_id'])) return undefined
    // Types that this version does not know go to events/unknown.ts, whatever their name ("ready", "__proto__").
    const name = known.has(type) ? type : 'unknown'
    const first = events.get(name)
    const handler = first && !receives(first, delivery) ? also.get(name)?.find((one) => receives(one, delivery)) : first
    return handler && matchEvent(delivery, handler, given)
  }

  function matchEvent(delivery: Delivery, handler: Handler, given?: BotServices): Match {
    const { type } = delivery.event
    const own = given ?? handler.services ?? services
    const { file } = handler.entry
    if (type === 'interaction') return { ctx: new ButtonContext<string>(delivery, own, file), handler }
    const ctx = type === 'message' ? new MessageContext(delivery, own, file) : new EventContext(delivery, own, file)
    return { ctx, handler }
  }

  /** The service does not send bots their own events (§6). If one did, the bot would answer itself. */
  const isMe = (id: unknown): boolean => id === host.me.id

  /** Whether a message of another bot is part of a loop. */
  const isLoop = ({ channel_id, author_id, author }: Data): boolean =>
    typeof channel_id === 'string' &&
    typeof author_id === 'string' &&
    services.loops.ignores(channel_id, author_id, authorName(author))

  /** Whether `events/message.ts` receives messages of other bots. True while the file is not loaded: `begin` checks again. */
  const receivesBots = ({ defined }: Handler): boolean => (defined ? (defined.bots ?? host.answerBots === true) : true)

  const receives = (handler: Handler, { event: { type, data } }: Delivery): boolean =>
    type !== 'message' || data['author_bot'] !== true || receivesBots(handler)

  function matchCommand(delivery: Delivery, command: string, given?: BotServices): Match | undefined {
    const { data } = delivery.event
    if (data['author_bot'] === true && !host.answerBots) return undefined
    const first = routeOf(commands, command)
    if (!first) return undefined
    const { route, rest } =
      first.words.size === 0
        ? { route: first, rest: argsText(data['args']) }
        : findCommand(first, argsText(data['args']))
    const { handler } = route
    const ctx = new CommandContext<unknown>(
      delivery,
      given ?? handler?.services ?? services,
      handler?.entry.file ?? `commands/${command}/`,
      handler?.entry.name,
      rest,
    )
    if (!handler) {
      const fact = subcommandMissing(route, ctx.prefix, rest)
      return { ctx, run: () => Promise.reject(new PersonError('ERR_ARGS', fact)) }
    }
    const near = services.layer.matched && nearSubcommand(route, rest)
    return near ? { ctx, handler, near } : { ctx, handler }
  }

  function matchClick(delivery: Delivery, given?: BotServices): Match {
    const id = delivery.event.data['custom_id']
    const handler = buttons.get(splitCustomId(typeof id === 'string' ? id : '').name) ?? events.get('interaction')
    const own = given ?? handler?.services ?? services
    const ctx = new ButtonContext<string>(delivery, own, handler?.entry.file ?? NO_BUTTON)
    if (!handler)
      return {
        ctx,
        async run() {
          noteRefusal(
            ctx,
            isQuestion(ctx)
              ? 'the question with this button is closed: it was answered or replaced, or has expired'
              : 'no file handles this button',
          )
          await ctx.ephemeral(await services.texts.say(phrase('outdated_button'), ctx))
        },
      }
    return { ctx, handler }
  }

  function start({ ctx, handler, run }: Match): unknown {
    if (!handler) return run?.(ctx)
    return handler.run ? begin(ctx, handler, handler.run) : loadAndBegin(ctx, handler)
  }

  async function loadAndBegin(ctx: Context, handler: Handler): Promise<unknown> {
    return begin(ctx, handler, await ready(handler))
  }

  function begin(ctx: Context, handler: Handler, run: HandlerFunction): unknown {
    if (ctx instanceof MessageContext && ctx.kind === 'event' && ctx.author.bot && !receivesBots(handler)) {
      services.layer.matched?.({ reason: 'bot_message' })
      return undefined
    }
    if (host.durable && handler.defined?.durable) return host.durable.begin(ctx).then(() => isReported)
    setReader(ctx, handler)
    return run(ctx)
  }

  function setReader(ctx: Context, handler: Handler): void {
    if (handler.readArgs && ctx instanceof CommandContext)
      setArgsReader(ctx as CommandContext<unknown>, handler.readArgs)
  }

  function contextOf(delivery: Delivery, handler: Handler, given: BotServices): Context | undefined {
    const isEvent = handler.entry.kind === 'event'
    const matched = isEvent ? matchEvent(delivery, handler, given) : match(delivery, given)
    if (matched?.handler !== handler) return undefined
    setReader(matched.ctx, handler)
    return matched.ctx
  }

  /** Why no file handles a delivery. */
  function unmatchedStep({ event: { type, data } }: Delivery): MatchResult {
    const own = type === 'message' ? isMe(data['author_id']) : isMe(data['user_id'])
    const isReaction = type === 'reaction_add' || type === 'reaction_remove'
    if ((type === 'message' && data['author_bot'] === true) || isReaction) {
      if (own) return { reason: 'own_event' }
      if (!isReaction && isLoop(data)) return { reason: 'bot_loop' }
      if (!isReaction && !host.answerBots) return { reason: 'bot_message' }
    }
    // The service names a command only if the bot has registered it.
    const [, command] = /^[/!]([\w-]{1,32})/.exec(typeof data['content'] === 'string' ? data['content'] : '') ?? []
    if (type !== 'message' || command === undefined) return { reason: 'no_file' }
    const near = didYouMean(command, [...commands.words.keys()])
    return { reason: 'no_command', ...(near !== undefined && { near }) }
  }

  function noteMatch({ ctx, handler, near }: Match): void {
    if (handler) services.layer.matched?.({ file: ctx.file, ...(near && { near }) })
    else {
      const isClick = ctx.kind === 'button'
      const reason = !isClick ? 'no_command' : isQuestion(ctx) ? 'closed_question' : 'no_file'
      services.layer.matched?.({ reason })
    }
  }

  /** Runs one handler. Never throws: errors are reported. A synchronous handler costs no promise and no closure. */
  function runOne(matched: Match): void | Promise<void> {
    const { ctx } = matched
    if (services.layer.matched) noteMatch(matched)
    const startedMs = host.observe ? elapsedOf(host.clock).monotonic() : 0
    try {
      const result = start(matched)
      if (isThenable(result)) return settled(ctx, startedMs, result)
    } catch (error) {
      return failed(ctx, startedMs, error)
    }
    return ended(ctx, startedMs)
  }

  async function settled(ctx: Context, startedMs: number, running: PromiseLike<unknown>): Promise<void> {
    try {
      if ((await running) === isReported) return endHandler(ctx)
    } catch (error) {
      return failed(ctx, startedMs, error)
    }
    return ended(ctx, startedMs)
  }

  async function failed(ctx: Context, startedMs: number, error: unknown): Promise<void> {
    // The bot is about to stop. Dead-letter the event, so that it can be replayed once the token is fixed.
    if (hasCode(error, 'ERR_UNAUTHORIZED'))
      host.giveUp?.(ctx.envelope, 'the service refused the bot token (401) while it ran', ctx.file)
    return ended(ctx, startedMs, await reportFailure(error, ctx, { root, log: host.log }))
  }

  function ended(ctx: Context, startedMs: number, error?: Outcome['error']): void | Promise<void> {
    endHandler(ctx)
    const ms = host.observe ? elapsedOf(host.clock).monotonic() - startedMs : 0
    const calls = callsEnded(ctx)
    if (!calls) return observed(ctx, ms, error)
    const run = runOf(eventKey(ctx.envelope), ctx.file)
    onlyCalls.add(run)
    return calls.then(() => {
      onlyCalls.delete(run)
      observed(ctx, ms, error)
    })
  }

  function observed(ctx: Context, ms: number, error?: Outcome['error']): void {
    const reason = refusalOf(ctx)
    host.observe?.({
      eventId: eventKey(ctx.envelope),
      type: ctx.envelope.type,
      file: ctx.file === NO_BUTTON ? undefined : ctx.file,
      ms,
      result: error ? 'error' : reason === undefined ? 'ok' : 'refused',
      ...(error && { error }),
      ...(reason !== undefined && { reason }),
    })
  }

  function handle(delivery: Delivery): void | Promise<void> {
    const matched = match(delivery)
    if (!matched) {
      services.layer.matched?.(unmatchedStep(delivery))
      return undefined
    }
    const { handler: first } = matched
    const begun = runOne(matched)
    if (also.size === 0 || first?.entry.kind !== 'event') return begun
    // The handlers begin in order, but none waits for another to end.
    const further = also.get(first.entry.name) ?? []
    const others = further.slice(further.indexOf(first) + 1).filter((handler) => receives(handler, delivery))
    const all = [{ file: first.entry.file, ended: begun }]
    for (const handler of others) all.push({ file: handler.entry.file, ended: runOne(matchEvent(delivery, handler)) })
    const open = all.flatMap(({ file, ended }) => (ended ? [{ file, ended }] : []))
    return open.length > 0 ? host.shared.ended(eventKey(delivery.event), open) : undefined
  }

  /** An answer that a handler waits for goes only to that handler. */
  function resumeOrHandle(delivery: Delivery): void | Promise<void> {
    const { matched } = services.layer
    let ended: (() => void) | undefined
    const passed = matched && ((to: WaitingHandler) => void (ended = matched({ reason: 'for_waiting_handler', to })))
    const taken = host.waiting.take(delivery, () => handle(delivery), passed)
    if (!taken || !matched) return taken ?? handle(delivery)
    return taken.then(() => ended?.())
  }

  function hasOnlyCalls({ event }: Delivery, file: string | undefined): boolean {
    const key = eventKey(event)
    const files = host.shared.running(key) ?? [file ?? '']
    return files.every((one) => onlyCalls.has(runOf(key, one)))
  }

  return {
    contextOf,
    handlerOf: (delivery) => match(delivery)?.ctx.file,
    running: ({ event }) => host.shared.running(eventKey(event)),
    hasOnlyCalls: (delivery) => hasOnlyCalls(delivery, match(delivery)?.ctx.file),
    async apologize(delivery, why) {
      const matched = match(delivery)
      // The user has had the answers of handlers that have ended.
      if (!matched || hasOnlyCalls(delivery, matched.ctx.file)) return
      await notifySeldom(matched.ctx, phrase(why), host.log)
    },
    handle: (delivery) => (host.waiting.idle ? handle(delivery) : resumeOrHandle(delivery)),
    async lifecycle(moment) {
      const first = events.get(moment)
      for (const handler of first ? [first, ...(also.get(moment) ?? [])] : []) {
        try {
          const run = await ready(handler)
          const ctx = new LifecycleContext(handler.services ?? services, handler.entry.file)
          const result = await (run as unknown as (ctx: LifecycleContext) => unknown)(ctx)
          await callsEnded(ctx)
          if (isMessageLike(result))
            throw new Error(
              `run returned an answer, but ${moment} has no channel to answer in: use ctx.send(channel_id, message)`,
            )
        } catch (error) {
          host.log.error({ file: handler.entry.file, error }, `${handler.entry.file}: ${wholeMessage(error)}`)
        }
      }
    },
  }
}
