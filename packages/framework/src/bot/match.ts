// Finds the handler of a delivery, or the reason why there is none.

import { argsText, authorName, didYouMean, eventTypes } from '@botwright/protocol/facts'
import type { Delivery } from '@botwright/events/event'
import { choiceOf } from '../author/buttons/face.ts'
import { splitCustomId } from '../author/buttons/custom-id.ts'
import { PersonError } from '../author/texts/person-error.ts'
import { phrase } from '../author/texts/phrase.ts'
import { type CommandRoute, commandRoutes, findCommand, nearSubcommand, subcommandMissing } from './commands/routes.ts'
import type { Handler } from './compile-handler.ts'
import { ButtonContext } from './context/button-context.ts'
import type { Context } from './context/context.ts'
import { EventContext } from './context/event-context.ts'
import { noteRefusal } from './context/refusals.ts'
import { CommandContext, MessageContext } from './context/message-context.ts'
import type { BotHost } from './host.ts'
import type { MatchResult } from './layer.ts'
import type { BotServices } from './services.ts'

/** The handler of a delivery, with its context. */
export interface Matched {
  ctx: Context
  handler: Handler
  /** Of a command with subcommands that runs by itself, and the text after it. */
  route?: CommandRoute<Handler>
  rest?: string
}

/** The reason why a delivery has no handler. */
interface Unmatched {
  handler?: undefined
  reason: Extract<MatchResult, { near?: string }>['reason']
  /** The word of a command that the bot does not have. */
  command?: string
  /** Set if its user gets an answer. */
  ctx?: Context
  answer?: () => Promise<unknown>
}

export type Match = Matched | Unmatched

/** The file of a click that no file handles. */
export const NO_BUTTON = 'buttons/'

const ownEvent: Unmatched = { reason: 'own_event' }
const botLoop: Unmatched = { reason: 'bot_loop' }
const botMessage: Unmatched = { reason: 'bot_message' }
const noFile: Unmatched = { reason: 'no_file' }

const none: readonly Handler[] = []

/** The service names a command only if the bot has registered it. */
const COMMAND = /^[/!]([\w-]{1,32})/

const known: ReadonlySet<string> = new Set(eventTypes)

/** The routes of a bot, in maps that are built once. */
export class Matcher {
  readonly #services: BotServices
  readonly #answerBots: boolean
  readonly #commands: CommandRoute<Handler>
  readonly #buttons: ReadonlyMap<string, Handler>
  /** The handlers of each event, in the order of the plugins. Only bots with plugins have several of one event. */
  readonly #events = new Map<string, Handler[]>()

  constructor(
    handlers: readonly Handler[],
    services: BotServices,
    { answerBots = false }: Pick<BotHost, 'answerBots'>,
  ) {
    const of = (kind: Handler['entry']['kind']) => handlers.filter(({ entry }) => entry.kind === kind)
    this.#services = services
    this.#answerBots = answerBots
    this.#commands = commandRoutes(of('command'))
    this.#buttons = new Map(of('button').map((handler) => [handler.entry.name, handler]))
    for (const handler of of('event')) {
      const { name } = handler.entry
      this.#events.set(name, [...this.events(name), handler])
    }
  }

  /** The handlers of an event. */
  events(name: string): readonly Handler[] {
    return this.#events.get(name) ?? none
  }

  /** `services`: those of the context. Default: those of the handler. */
  match(delivery: Delivery, services?: BotServices): Match {
    const { type, data } = delivery.event
    if (type === 'interaction') return this.#click(delivery, services)
    if (type === 'message') {
      if (data['author_bot'] === true) {
        if (this.#isMe(data['author_id'])) return ownEvent
        if (this.#isLoop(data)) return botLoop
      }
      const matched = typeof data['command'] === 'string' && this.#command(delivery, data['command'], services)
      if (matched) return matched
    } else if ((type === 'reaction_add' || type === 'reaction_remove') && this.#isMe(data['user_id'])) return ownEvent
    // Types that this version does not know go to events/unknown.ts, whatever their name ("ready", "__proto__").
    for (const handler of this.events(known.has(type) ? type : 'unknown'))
      if (this.receives(handler, delivery)) return this.event(delivery, handler, services)
    return type === 'message' ? this.#unhandled(data) : noFile
  }

  /** The match of an event and one of its handlers. */
  event(delivery: Delivery, handler: Handler, given?: BotServices): Matched {
    const { type } = delivery.event
    const own = given ?? handler.services ?? this.#services
    const { file } = handler.entry
    if (type === 'interaction') return { ctx: new ButtonContext<string>(delivery, own, file), handler }
    if (type !== 'message') return { ctx: new EventContext(delivery, own, file), handler }
    const ctx = new MessageContext(delivery, own, file)
    const match = handler.defined?.conditions?.match?.(ctx.content)
    return { ctx: match ? Object.defineProperty(ctx, 'match', { value: match, enumerable: true }) : ctx, handler }
  }

  /** The files that may handle an event, in their order: those whose pattern does not match are left out if they are loaded. */
  filesOf(name: string, { event }: Delivery): string[] {
    const text = String(event.data['content'])
    return this.events(name).flatMap(({ defined, entry }) =>
      defined?.conditions?.pattern?.test(text) === false ? [] : [entry.file],
    )
  }

  /** The result for an event that no file handles. */
  unhandled(delivery: Delivery): Unmatched {
    const { type, data } = delivery.event
    if (type === 'interaction') return this.#noButton(new ButtonContext<string>(delivery, this.#services, NO_BUTTON))
    return type === 'message' ? this.#unhandled(data) : noFile
  }

  receives(handler: Handler, { event: { type, data } }: Delivery): boolean {
    return type !== 'message' || data['author_bot'] !== true || this.receivesBots(handler)
  }

  /** Whether `events/message.ts` receives messages of other bots. True while the file is not loaded: it is asked again then. */
  receivesBots({ defined }: Handler): boolean {
    return defined ? (defined.bots ?? this.#answerBots) : true
  }

  /** A match as layers see it, with the name that was probably meant. */
  resultOf(match: Match): MatchResult {
    if (match.handler) {
      const near = match.route && nearSubcommand(match.route, match.rest ?? '')
      return { file: match.ctx.file, ...(near && { near }) }
    }
    const { reason, command } = match
    const near = command === undefined ? undefined : didYouMean(command, [...this.#commands.words.keys()])
    return { reason, ...(near !== undefined && { near }) }
  }

  /** The service does not send bots their own events (§6). If one did, the bot would answer itself. */
  #isMe(id: unknown): boolean {
    return id === this.#services.me.id
  }

  /** Whether a message of another bot is part of a loop. */
  #isLoop({ channel_id, author_id, author }: Record<string, unknown>): boolean {
    if (typeof channel_id !== 'string' || typeof author_id !== 'string') return false
    return this.#services.loops.ignores(channel_id, author_id, authorName(author))
  }

  #command(delivery: Delivery, command: string, given: BotServices | undefined): Match | undefined {
    const { data } = delivery.event
    if (data['author_bot'] === true && !this.#answerBots) return undefined
    const { words, aliases } = this.#commands
    const first = words.get(command) ?? aliases.get(command)
    if (!first) return undefined
    const args = argsText(data['args'])
    const { route, rest } = first.words.size === 0 ? { route: first, rest: args } : findCommand(first, args)
    const { handler } = route
    const ctx = new CommandContext<unknown>(
      delivery,
      given ?? handler?.services ?? this.#services,
      handler?.entry.file ?? `commands/${command}/`,
      handler?.entry.name,
      rest,
    )
    if (handler) return route.words.size === 0 ? { ctx, handler } : { ctx, handler, route, rest }
    const fact = subcommandMissing(route, ctx.prefix, rest)
    return { ctx, reason: 'no_command', answer: () => Promise.reject(new PersonError('ERR_ARGS', fact)) }
  }

  #click(delivery: Delivery, given: BotServices | undefined): Match {
    const id = delivery.event.data['custom_id']
    const custom_id = typeof id === 'string' ? id : ''
    const handler = this.#buttons.get(splitCustomId(custom_id).name) ?? this.events('interaction')[0]
    const own = given ?? handler?.services ?? this.#services
    const ctx = new ButtonContext<string>(delivery, own, handler?.entry.file ?? NO_BUTTON)
    return handler ? { ctx, handler } : this.#noButton(ctx)
  }

  #noButton(ctx: ButtonContext<string>): Unmatched {
    // A button of `ctx.choose`, `ctx.approve` or `ctx.stream`.
    const isQuestion = choiceOf(ctx.custom_id) !== undefined
    const refusal = isQuestion
      ? 'the question with this button is closed: it was answered or replaced, or has expired'
      : 'no file handles this button'
    const answer = async () => {
      noteRefusal(ctx, refusal)
      await ctx.ephemeral(await this.#services.texts.say(phrase('outdated_button'), ctx))
    }
    return { ctx, reason: isQuestion ? 'closed_question' : 'no_file', answer }
  }

  #unhandled({ author_bot, content }: Record<string, unknown>): Unmatched {
    if (author_bot === true && !this.#answerBots) return botMessage
    const command = typeof content === 'string' ? COMMAND.exec(content)?.[1] : undefined
    return command === undefined ? noFile : { reason: 'no_command', command }
  }
}
