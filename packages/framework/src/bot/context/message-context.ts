import type { EventData } from '@botwright/protocol/shapes'
import { argsText, authorName } from '@botwright/protocol/facts'
import type { Delivery } from '@botwright/events/event'
import type { ReadArgs } from '../../author/args/read-args.ts'
import { toldCommands } from '../told-commands.ts'
import type { Definition } from '../../author/entries.ts'
import { isThenable } from '../../author/outgoing.ts'
import { around, replyTo, type Surroundings } from './bot-context.ts'
import { EventContext } from './event-context.ts'
import { text, type Person, type ServerId } from './context.ts'

/** The context of a message (§6). */
export class MessageContext<S extends ServerId = ServerId> extends EventContext<EventData<'message'>, S> {
  #event: EventData<'message'> | undefined

  /** The message, `author` and `args` as texts whatever form they arrived in. */
  override get event(): EventData<'message'> {
    return (this.#event ??= normal(super.event))
  }
  override get channel_id(): string {
    return text(this.event.channel_id)
  }
  /** Who wrote it. */
  override get author(): Person & { bot: boolean } {
    return { id: text(this.event.author_id), name: this.event.author, bot: this.event.author_bot === true }
  }
  override get user(): Person {
    return this.author
  }
  /** The text of the message. */
  get content(): string {
    return text(this.event.content)
  }

  /** Reacts to the message. */
  override async react(emoji: string): Promise<void> {
    const { channel_id, id } = this.event
    await this[around].call('reactions.add', { channel_id, message_id: id, emoji })
  }

  protected override get [replyTo]() {
    return { reply_to: this.event.id }
  }
}

function normal(data: EventData<'message'>): EventData<'message'> {
  const { author, args } = data as { author: unknown; args?: unknown }
  const argsFit = typeof args === 'string' || (args === undefined && data.command === undefined)
  if (typeof author === 'string' && argsFit) return data
  return { ...data, author: authorName(author), ...(data.command !== undefined && { args: argsText(args) }) }
}

/** Tells the context of a command how its args are read, once its file is loaded. */
export let takeArgs: (ctx: CommandContext<unknown>, read: ReadArgs) => void

/** The context of a command. `args` are what its file asks for. */
export class CommandContext<
  A = Readonly<Record<string, never>>,
  S extends ServerId = ServerId,
> extends MessageContext<S> {
  static {
    takeArgs = (ctx, read) => void (ctx.#read = read)
  }

  /** The command's words: `role add`. */
  command: string
  /** What stands behind the command's words, as it was typed. */
  typed: string
  #args: A | Promise<A> | undefined
  #read: ReadArgs | undefined

  constructor(delivery: Delivery, surroundings: Surroundings, file: string, command = '', typed = '') {
    super(delivery, surroundings, file)
    this.command = command
    this.typed = typed
  }

  override get kind(): 'command' {
    return 'command'
  }
  /** What was typed behind the command. Throws `ERR_ARGS`, with the usage for the person, when it does not fit. */
  get args(): A {
    const args = this.readArgs()
    if (isThenable(args)) throw new Error('a name in the args is being looked up: await ctx.readArgs() before ctx.args')
    return args
  }

  /** Reads the args before the handler does, in a middleware: a promise where a name is looked up. Throws as `args` does. */
  readArgs(): A | Promise<A> {
    if (this.#args !== undefined) return this.#args
    const read = this.#read?.(this.typed, this, `${this.prefix}${this.command}`) as A | Promise<A> | undefined
    this.#args = isThenable(read) ? read.then((args) => (this.#args = args)) : (read ?? ({} as A))
    return this.#args
  }

  /** Every command of the bot, with what `/help` tells of it: for a `commands/help.ts` of one's own. */
  get commands(): readonly Definition[] {
    return toldCommands(this[around].definitions)
  }

  /** The prefix that was typed: `/` or `!` (§2). */
  get prefix(): string {
    return this.content.startsWith('!') ? '!' : '/'
  }
}
