// In the worker: from an event to the author's file, and what becomes of what it returns or throws.

import { argsText, authorName, eventTypes } from '@botwright/protocol/facts'
import type { Delivery } from '@botwright/events/event'
import { isTold } from '../author/answer.ts'
import { ButtonContext } from './context/button-context.ts'
import type { BotServices } from './services.ts'
import type { Context } from './context/context.ts'
import { EventContext } from './context/event-context.ts'
import { endHandler } from './context/handler-context.ts'
import { CommandContext, MessageContext, takeArgs } from './context/message-context.ts'
import { splitCustomId } from '../author/buttons/custom-id.ts'
import { hasCode } from '../author/error-code.ts'
import { tell, tellFailure } from './failure.ts'
import type { Handler } from './compile-handler.ts'
import type { HandlerFunction } from './guards/guarded.ts'
import type { Waiting } from './conversation/waiting.ts'
import type { Bot, BotHost } from './host.ts'
import type { Outcome } from '../link/ports.ts'
import { isThenable } from '../author/outgoing.ts'
import { PersonError } from '../author/texts/person-error.ts'
import { phrase } from '../author/texts/phrase.ts'
import { wholeMessage } from '../link/errors/whole-error.ts'
import { commandRoutes, findCommand, routeOf, subcommandMissing } from './commands/routes.ts'
import { LifecycleContext } from './context/bot-context.ts'

/** What a delivery leads to: the context, and the handler or something that is run in its place. */
interface Aim {
  ctx: Context
  handler?: Handler
  run?: HandlerFunction
}

type Data = Record<string, unknown>

const known: ReadonlySet<string> = new Set(eventTypes)

/** Leads deliveries to handlers, by maps that are made once. */
export function createDispatch(
  handlers: readonly Handler[],
  around: BotServices,
  host: BotHost & { waiting: Waiting },
  root: string,
  ready: (handler: Handler) => Promise<HandlerFunction>,
): Pick<Bot, 'handlerOf' | 'handle' | 'apologize' | 'lifecycle'> {
  const of = (kind: Handler['entry']['kind']) => handlers.filter(({ entry }) => entry.kind === kind)
  const commands = commandRoutes(of('command'))
  const buttons = new Map(of('button').map((handler) => [handler.entry.name, handler]))
  const events = new Map<string, Handler>()
  /** Further handlers of an event, in the order of the plugins: only bots with plugins have any. */
  const also = new Map<string, Handler[]>()
  for (const handler of of('event')) {
    const { name } = handler.entry
    if (!events.has(name)) events.set(name, handler)
    else also.set(name, [...(also.get(name) ?? []), handler])
  }

  function aim(delivery: Delivery): Aim | undefined {
    const { type, data } = delivery.event
    if (type === 'interaction') return aimClick(delivery)
    if (type === 'message') {
      if (data['author_bot'] === true && (isMe(data['author_id']) || isLoop(data))) return undefined
      const aimed = typeof data['command'] === 'string' ? aimCommand(delivery, data['command']) : undefined
      if (aimed) return aimed
    } else if ((type === 'reaction_add' || type === 'reaction_remove') && isMe(data['user_id'])) return undefined
    // What this version does not know has a file of its own, whatever it is called ("ready", "__proto__").
    const name = known.has(type) ? type : 'unknown'
    const first = events.get(name)
    const handler = first && !hears(first, delivery) ? also.get(name)?.find((one) => hears(one, delivery)) : first
    return handler && aimEvent(delivery, handler)
  }

  function aimEvent(delivery: Delivery, handler: Handler): Aim {
    const { type } = delivery.event
    const over = handler.around ?? around
    const { file } = handler.entry
    if (type === 'interaction') return { ctx: new ButtonContext<string>(delivery, over, file), handler }
    const ctx = type === 'message' ? new MessageContext(delivery, over, file) : new EventContext(delivery, over, file)
    return { ctx, handler }
  }

  /** The service does not send a bot its own doings (§6); one that did would have it answer itself. */
  const isMe = (id: unknown): boolean => id === host.me.id

  /** Of a message of another bot. */
  const isLoop = ({ channel_id, author_id, author }: Data): boolean =>
    typeof channel_id === 'string' &&
    typeof author_id === 'string' &&
    around.loops.cuts(channel_id, author_id, authorName(author))

  /** Whether `events/message.ts` gets messages of other bots. What is not loaded yet is not known: it is asked again then. */
  const hearsBots = ({ defined }: Handler): boolean => (defined ? (defined.bots ?? host.answerBots === true) : true)

  const hears = (handler: Handler, { event: { type, data } }: Delivery): boolean =>
    type !== 'message' || data['author_bot'] !== true || hearsBots(handler)

  function aimCommand(delivery: Delivery, command: string): Aim | undefined {
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
      handler?.around ?? around,
      handler?.entry.file ?? `commands/${command}/`,
      handler?.entry.name,
      rest,
    )
    if (!handler) {
      const fact = subcommandMissing(route, ctx.prefix, rest)
      return { ctx, run: () => Promise.reject(new PersonError('ERR_ARGS', fact)) }
    }
    return { ctx, handler }
  }

  function aimClick(delivery: Delivery): Aim {
    const id = delivery.event.data['custom_id']
    const handler = buttons.get(splitCustomId(typeof id === 'string' ? id : '').name) ?? events.get('interaction')
    const ctx = new ButtonContext<string>(delivery, handler?.around ?? around, handler?.entry.file ?? 'buttons/')
    if (!handler) return { ctx, run: async () => ctx.ephemeral(await around.texts.say(phrase('outdated_button'), ctx)) }
    return { ctx, handler }
  }

  function start({ ctx, handler, run }: Aim): unknown {
    if (!handler) return run?.(ctx)
    return handler.run ? begin(ctx, handler, handler.run) : beginLate(ctx, handler)
  }

  async function beginLate(ctx: Context, handler: Handler): Promise<unknown> {
    return begin(ctx, handler, await ready(handler))
  }

  function begin(ctx: Context, handler: Handler, run: HandlerFunction): unknown {
    if (ctx instanceof MessageContext && ctx.kind === 'event' && ctx.author.bot && !hearsBots(handler)) return undefined
    if (handler.readArgs && ctx instanceof CommandContext) takeArgs(ctx as CommandContext<unknown>, handler.readArgs)
    return run(ctx)
  }

  /** Runs one handler. Never throws: what went wrong is told. A handler that returns at once costs no promise and no closure. */
  function runOne(aimed: Aim): void | Promise<void> {
    const { ctx } = aimed
    const startedMs = host.observe ? host.clock.monotonic() : 0
    try {
      const result = start(aimed)
      if (isThenable(result)) return settled(ctx, startedMs, result)
    } catch (error) {
      return failed(ctx, startedMs, error)
    }
    return ended(ctx, startedMs)
  }

  async function settled(ctx: Context, startedMs: number, running: PromiseLike<unknown>): Promise<void> {
    try {
      await running
    } catch (error) {
      return failed(ctx, startedMs, error)
    }
    ended(ctx, startedMs)
  }

  async function failed(ctx: Context, startedMs: number, error: unknown): Promise<void> {
    // The bot ends soon: who mends its token has the event run again.
    if (hasCode(error, 'ERR_UNAUTHORIZED'))
      host.giveUp?.(ctx.envelope, 'the service refused the bot token (401) while it ran', ctx.file)
    ended(ctx, startedMs, await tellFailure(error, ctx, root, host.log))
  }

  function ended(ctx: Context, startedMs: number, error?: Outcome['error']): void {
    endHandler(ctx)
    host.observe?.({
      eventId: ctx.envelope.id,
      type: ctx.envelope.type,
      file: ctx.file,
      ms: host.clock.monotonic() - startedMs,
      result: error ? 'error' : 'ok',
      ...(error && { error }),
    })
  }

  function handle(delivery: Delivery): void | Promise<void> {
    const aimed = aim(delivery)
    if (!aimed) return undefined
    const { handler: first } = aimed
    const begun = runOne(aimed)
    if (also.size === 0 || first?.entry.kind !== 'event') return begun
    // Each begins in its turn, and none waits for the end of another.
    const further = also.get(first.entry.name) ?? []
    const others = further.slice(further.indexOf(first) + 1).filter((handler) => hears(handler, delivery))
    const all = [begun, ...others.map((handler) => runOne(aimEvent(delivery, handler)))]
    const open = all.filter((one) => one !== undefined)
    return open.length > 0 ? Promise.all(open).then(() => undefined) : undefined
  }

  /** An answer that a handler waits for is nobody else's. */
  const giveOrHandle = (delivery: Delivery) => host.waiting.take(delivery, () => handle(delivery)) ?? handle(delivery)

  return {
    handlerOf: (delivery) => aim(delivery)?.ctx.file,
    async apologize(delivery, why) {
      const aimed = aim(delivery)
      if (aimed) await tell(aimed.ctx, phrase(why), host.log)
    },
    handle: (delivery) => (host.waiting.idle ? handle(delivery) : giveOrHandle(delivery)),
    async lifecycle(moment) {
      const first = events.get(moment)
      for (const handler of first ? [first, ...(also.get(moment) ?? [])] : []) {
        try {
          const run = await ready(handler)
          const ctx = new LifecycleContext(handler.around ?? around)
          const result = await (run as unknown as (ctx: LifecycleContext) => unknown)(ctx)
          if (isTold(result))
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
