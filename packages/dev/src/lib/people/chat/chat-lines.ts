import { printableLine, shortened } from '@botwright/protocol/facts'
import type { Colors } from '../../terminal/terminal.ts'
import type { Ephemeral, StreamEvent } from '@botwright/service/people'
import { embedLines } from '../report.ts'
import type { StreamedEvent } from '../stream.ts'

type Message = StreamEvent<'message_create'>['message']
type Button = Message['components'][number]['components'][number]

/** A button that was shown, by its number. */
export interface ShownButton {
  channel_id: string
  message_id: string
  author_id: string
  custom_id: string
  face: string
}

/** The place that the person is in, and names for ids. */
export interface ChatView {
  channelId: string
  /** `#general`, or the name of the other user of direct messages. */
  channelName: (id: string) => string
  userName: (id: string) => string
}

const MAX_MESSAGES = 500
const QUOTED = 40

/** Turns what a person sees into lines, and numbers the buttons. Keeps the newest messages, to quote them. */
export class ChatLines {
  readonly #colors: Colors
  readonly #buttons: ShownButton[] = []
  /** `shown`: what the lines of a message are about. */
  readonly #messages = new Map<string, { author: string; content: string; shown: string }>()

  constructor(colors: Colors) {
    this.#colors = colors
  }

  /** The button with a number, which counts from 1. */
  button(number: number): ShownButton | undefined {
    return this.#buttons[number - 1]
  }

  /** The lines of one event; none if it is not shown. */
  of({ type, data }: StreamedEvent, view: ChatView): string[] {
    switch (type) {
      case 'message_create':
        return this.#message(data.message, name(data.author.username), '', view)
      case 'message_update': {
        // Pins are updates, too.
        if (this.#messages.get(data.message.id)?.shown === shownOf(data.message)) return []
        return this.#message(data.message, name(data.author.username), ' (edited)', view)
      }
      case 'message_delete':
        return [this.#note(`${this.#quote(data.message_id)} was deleted`, data.channel_id, view)]
      case 'reaction_add':
      case 'reaction_remove': {
        const did = type === 'reaction_add' ? 'reacts with' : 'removes'
        const on = type === 'reaction_add' ? 'to' : 'from'
        const text = `${name(data.username)} ${did} ${name(data.emoji)} ${on} ${this.#quote(data.message_id)}`
        return [this.#note(text, data.channel_id, view)]
      }
      case 'ephemeral':
        return this.#texts(name(data.message.author), ' (only you see this)', data.message, data.channel_id, view)
      case 'click': {
        if (data.state !== 'failed') return []
        const shown = this.#buttons.find(
          (one) => one.message_id === data.message_id && one.custom_id === data.custom_id,
        )
        return [this.#colors.red(`✘ the click on [${name(shown?.face ?? '')}] failed: no answer within 3 seconds`)]
      }
      case 'member_join':
        return [this.#colors.dim(`${name(data.member.username)} joined the server`)]
      case 'member_leave':
        return [this.#colors.dim(`${name(view.userName(data.user_id))} left the server`)]
      default:
        return []
    }
  }

  #message(message: Message, author: string, after: string, view: ChatView): string[] {
    this.#messages.set(message.id, { author, content: message.content, shown: shownOf(message) })
    if (this.#messages.size > MAX_MESSAGES) this.#messages.delete(this.#messages.keys().next().value!)
    return this.#texts(author, after, message, message.channel_id, view)
  }

  /** A name, the text with further lines indented, embeds and buttons. */
  #texts(
    author: string,
    after: string,
    message: Ephemeral | Message,
    channelId: string | null,
    view: ChatView,
  ): string[] {
    const { bold, dim, cyan } = this.#colors
    const lines = message.content === '' ? [] : message.content.split('\n').map((line) => name(line))
    for (const embed of message.embeds) lines.push(...embedLines(embed).map((line) => dim(`│ ${name(line)}`)))
    if ('attachment' in message && message.attachment !== null) lines.push(dim(`(image ${name(message.attachment)})`))
    const rows = 'components' in message ? message.components : []
    const buttons = rows.flatMap((row) => row.components.map((one) => this.#face(message, channelId ?? '', one)))
    if (buttons.length > 0) lines.push(cyan(buttons.join(' ')))
    const [first = '', ...rest] = lines
    return [`${this.#place(channelId, view)}${bold(author)}${dim(after)}: ${first}`, ...rest.map((line) => `  ${line}`)]
  }

  #face({ id: message_id, author_id }: Ephemeral | Message, channel_id: string, button: Button): string {
    const face = name([button.emoji, button.label].filter(Boolean).join(' '))
    if (button.url) return `[${face} → ${name(button.url)}]`
    if (button.custom_id === undefined || button.disabled) return `[${face}, disabled]`
    const { custom_id } = button
    // An edited message keeps the numbers of its buttons.
    let at = this.#buttons.findIndex((one) => one.message_id === message_id && one.custom_id === custom_id)
    if (at < 0) at = this.#buttons.push({ channel_id, message_id, author_id, custom_id, face }) - 1
    return `[:${at + 1} ${face}]`
  }

  #quote(messageId: string): string {
    const known = this.#messages.get(messageId)
    if (!known) return 'an older message'
    return `“${shortened(name(known.content), QUOTED)}” by ${known.author}`
  }

  #note(text: string, channelId: string | null, view: ChatView): string {
    return `${this.#place(channelId, view)}${this.#colors.dim(text)}`
  }

  /** Names the channel if it is not the one that the person is in. */
  #place(channelId: string | null, view: ChatView): string {
    if (channelId === null || channelId === view.channelId) return ''
    return this.#colors.dim(`${name(view.channelName(channelId))}  `)
  }
}

const shownOf = ({ content, embeds, components }: Message): string => JSON.stringify([content, embeds, components])

/** People and bots choose their names and texts: they must not control the terminal. */
const name = (text: string): string => printableLine(text)
