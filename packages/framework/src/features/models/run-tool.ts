// Runs a command for a language model: as the user of an event, with everything around its handler.

import type { Delivery } from '@botwright/events/event'
import type { Message, MessageEdit } from '@botwright/protocol/shapes'
import type { Context, MessageRef } from '../../author/context.ts'
import type { Definition } from '../../author/files/entries.ts'
import { codeOf } from '../../author/error-code.ts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type { Streamed, StreamOptions } from '../../author/sending/stream.ts'
import type { RunCommand } from '../../author/tools.ts'
import { callsEnded, runKey, workKeyOf } from '../../bot/context/bot-context.ts'
import { endHandler, pauseToo } from '../../bot/context/handler-context.ts'
import { refusalOf } from '../../bot/context/refusals.ts'
import { CommandContext, setArgsReader } from '../../bot/context/message-context.ts'
import { refusalNotices } from '../../bot/report-failure.ts'
import type { CommandsHost } from './commands-host.ts'
import type { BotServices } from '../../bot/services.ts'

/** The context of a command that a model calls. Its replies are posted as usual, and their texts are kept for the model. */
class ToolContext extends CommandContext<unknown> {
  /** Its replies as the channel shows them, by id. */
  readonly #replies = new Map<string, MessageEdit>()
  readonly #runKey: string

  constructor(delivery: Delivery, services: BotServices, definition: Definition, typed: string, key: string) {
    super(delivery, services, definition.file, definition.name, typed)
    this.#runKey = key
  }

  protected override get [runKey](): string {
    return this.#runKey
  }

  get text(): string {
    return [...this.#replies.values()].map(textOf).join('\n')
  }

  override async reply(message: Outgoing): Promise<Message> {
    const posted = await super.reply(message)
    this.#replies.set(posted.id, bodyOf(message))
    return posted
  }

  override async update(message: string | MessageEdit): Promise<Message> {
    const updated = await super.update(message)
    this.#changed(updated.id, message)
    return updated
  }

  override async edit(ref: MessageRef, message: string | MessageEdit): Promise<Message> {
    const edited = await super.edit(ref, message)
    this.#changed(ref.id, message)
    return edited
  }

  override async delete(ref: MessageRef): Promise<void> {
    await super.delete(ref)
    this.#replies.delete(ref.id)
  }

  override async stream(source: AsyncIterable<string>, options?: StreamOptions): Promise<Streamed> {
    const streamed = await super.stream(source, options)
    const [first] = streamed.messages
    // Only its beginning was a reply.
    if (first) this.#changed(first.id, streamed.text)
    return streamed
  }

  override async ephemeral(message: OutgoingEphemeral): Promise<Message> {
    const posted = await super.ephemeral(message)
    // The model answers in public, so it does not get the text.
    this.#replies.set(`ephemeral ${posted.id}`, { content: '(answered in a direct message)' })
    return posted
  }

  #changed(id: string, message: string | MessageEdit): void {
    const before = this.#replies.get(id)
    // As a request has it: without undefined values.
    if (before) this.#replies.set(id, { ...before, ...(JSON.parse(JSON.stringify(bodyOf(message))) as MessageEdit) })
  }
}

/** The texts of a message: its content, and that of its embeds. */
function textOf({ content, embeds }: MessageEdit): string {
  const ofEmbeds = (embeds ?? []).flatMap(({ title, description, fields = [] }) => [
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
  ])
  return [content, ...ofEmbeds].filter((part) => typeof part === 'string' && part !== '').join('\n')
}

/** Creates the function that runs the commands of a bot for a model. */
export function commandRunner({ handlers, services, ready, unlessOff }: CommandsHost): RunCommand {
  const calls = new WeakMap<Context, number>()
  return async (asker, definition, typed, call) => {
    const handler = handlers.find(({ entry }) => entry.kind === 'command' && entry.file === definition.file)!
    const run = await ready(handler)
    const number = (calls.get(asker) ?? 0) + 1
    calls.set(asker, number)
    const ctx = new ToolContext(
      deliveryFor(asker, definition, typed),
      handler.services ?? services,
      definition,
      typed,
      // The same work of two calls is not the same.
      `${workKeyOf(asker)} tool ${call ?? number}`,
    )
    pauseToo(asker, ctx)
    if (handler.readArgs) setArgsReader(ctx, handler.readArgs)
    const notices: string[] = []
    refusalNotices.set(ctx, notices)
    try {
      await unlessOff(ctx, handler, run)
    } catch (error) {
      if (!endedByUser.has(codeOf(error) ?? '')) throw error
      return { ok: false, text: (error as Error).message }
    } finally {
      endHandler(ctx)
      await callsEnded(ctx)
    }
    const refusal = refusalOf(ctx)
    if (refusal !== undefined) return { ok: false, text: notices.join('\n') || refusal }
    return { ok: true, text: ctx.text || 'done' }
  }
}

/** The codes of a command that ends because of its user. */
const endedByUser: ReadonlySet<string> = new Set(['ERR_ARGS', 'ERR_NO_REPLY', 'ERR_REPLACED', 'ERR_CANCELLED'])

/** The event of the asking handler, as if its user had typed the command. */
function deliveryFor(asker: Context, { name }: Definition, typed: string): Delivery {
  const { envelope, user, channel_id, server_id, redelivered } = asker
  const { id, message_id, author_bot } = asker.event
  const [command = '', ...words] = name.split(' ')
  const args = [...words, typed].join(' ').trim()
  const data = {
    id: envelope.type === 'message' ? id : message_id,
    channel_id,
    server_id,
    author_id: user.id,
    author: user.name,
    content: `/${command} ${args}`.trim(),
    reply_to_id: null,
    attachment: null,
    created_at: envelope.created_at,
    mentioned: false,
    command,
    args,
    ...(author_bot === true && { author_bot }),
  }
  return { event: { ...envelope, type: 'message', data }, attempt: redelivered ? 2 : 1 }
}
