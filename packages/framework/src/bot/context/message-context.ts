import type * as author from '../../author/context.ts'
import type { EventData } from '@botwright/protocol/shapes'
import { argsText, authorName } from '@botwright/protocol/facts'
import type { Delivery } from '@botwright/events/event'
import type { ReadArgs } from '../../author/args/read-args.ts'
import type { Definition } from '../../author/files/entries.ts'
import { isThenable } from '../../author/outgoing.ts'
import { type BotServices, services } from '../services.ts'
import { callOfRun, replyTo } from './bot-context.ts'
import { EventContext } from './event-context.ts'
import { text } from './context.ts'
import { layerOf, layersAround } from '../../author/files/manifest.ts'
import type { Words } from '../../author/texts/words.ts'

/** The context of a message (§6). */
export class MessageContext<S extends author.ServerId = author.ServerId>
  extends EventContext<EventData<'message'>, S>
  implements author.MessageContext<S>
{
  #event: EventData<'message'> | undefined

  override get event(): EventData<'message'> {
    return (this.#event ??= normal(super.event))
  }
  override get events(): readonly EventData<'message'>[] {
    return super.events.map(normal)
  }
  override get channel_id(): string {
    return text(this.event.channel_id)
  }
  override get author(): author.Person & { bot: boolean } {
    return { id: text(this.event.author_id), name: this.event.author, bot: this.event.author_bot === true }
  }
  override get user(): author.Person {
    return this.author
  }
  get content(): string {
    return text(this.event.content)
  }

  override async react(emoji: string): Promise<void> {
    const { channel_id, id } = this.event
    await this[callOfRun]('reactions.add', { channel_id, message_id: id, emoji })
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

/** Sets the args reader of a command's context once its file is loaded. */
export let setArgsReader: (ctx: CommandContext<unknown>, read: ReadArgs) => void

/** The context of a command. `args` have the shape that its file declares. */
export class CommandContext<A = Readonly<Record<string, never>>, S extends author.ServerId = author.ServerId>
  extends MessageContext<S>
  implements author.CommandContext<A, S>
{
  static {
    setArgsReader = (ctx, read) => void (ctx.#read = read)
  }

  command: string
  typed: string
  #args: A | Promise<A> | undefined
  #read: ReadArgs | undefined

  constructor(delivery: Delivery, botServices: BotServices, file: string, command = '', typed = '') {
    super(delivery, botServices, file)
    this.command = command
    this.typed = typed
  }

  override get kind(): 'command' {
    return 'command'
  }
  get args(): A {
    const args = this.readArgs()
    if (isThenable(args)) throw new Error('a name in the args is being looked up: await ctx.readArgs() before ctx.args')
    return args
  }

  readArgs(): A | Promise<A> {
    if (this.#args !== undefined) return this.#args
    const read = this.#read?.(this.typed, this, `${this.prefix}${this.command}`) as A | Promise<A> | undefined
    this.#args = isThenable(read) ? read.then((args) => (this.#args = args)) : (read ?? ({} as A))
    return this.#args
  }

  get commands(): readonly Definition[] {
    return commandsWithRules(this[services].definitions)
  }

  get prefix(): string {
    return this.content.startsWith('!') ? '!' : '/'
  }
}

/** The commands of a bot, each with the rules of the middleware of its folders. */
export function commandsWithRules(definitions: readonly Definition[]): Definition[] {
  const commands = definitions.filter(({ kind }) => kind === 'command')
  const folders = new Map<string, readonly Words[]>()
  for (const one of definitions) if (one.kind === 'middleware' && one.guards) folders.set(layerOf(one), one.guards)
  if (folders.size === 0) return commands
  return commands.map((command) => {
    const rules = layersAround(command).flatMap((layer) => folders.get(layer) ?? [])
    if (rules.length === 0) return command
    const { usage = '', args = [], examples = [], rules: own = [] } = command.help ?? {}
    return { ...command, help: { usage, args, examples, rules: [...rules, ...own] } }
  })
}
