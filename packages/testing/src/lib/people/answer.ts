import { BotwrightError } from '@botwright/protocol/facts'
import { describeDeeds } from './describe.ts'
import type { BotActions, Seen } from './seen.ts'

/**
 * The bot's response to a person's action, as that person saw it: messages (direct and ephemeral ones too), edits, reactions.
 * It represents the first of the messages: `answer.content`, `answer.embeds`; these throw if there is none.
 */
export class Answer implements Pick<Seen, 'id' | 'channel_id' | 'content' | 'embeds' | 'ephemeral'> {
  /** `ann said "/ping"` */
  readonly upon: string
  /** The bot's new messages, in order. */
  readonly replies: readonly Seen[]
  /** Messages that the bot edited, as they were after each edit. */
  readonly updates: readonly Seen[]
  /** The bot's reactions. */
  readonly reactions: BotActions['reactions']
  /** Ids of messages that the bot deleted in the meantime. */
  readonly deleted: readonly string[]
  /** Of a click: `answered`, also if it was only acknowledged; `failed` if its 3 seconds passed; otherwise undefined. */
  readonly click: BotActions['click']
  readonly #shown: BotActions['shown']
  readonly #stillRuns: string | undefined
  readonly #why: () => string | undefined

  /** @internal `stillRuns`: the handlers that still run. `why`: what may have prevented an answer. */
  constructor(
    upon: string,
    actions: BotActions,
    { stillRuns, why = () => undefined }: { stillRuns?: string | undefined; why?: () => string | undefined } = {},
  ) {
    this.upon = upon
    this.#shown = actions.shown
    this.replies = actions.shown.filter(({ how }) => how === 'reply').map(({ message }) => message)
    this.updates = actions.shown.filter(({ how }) => how === 'update').map(({ message }) => message)
    this.reactions = actions.reactions
    this.deleted = actions.deleted
    this.click = actions.click
    this.#stillRuns = stillRuns
    this.#why = why
  }

  /** The first message that the bot wrote or edited. Throws `ERR_NO_ANSWER` if there is none. */
  get first(): Seen {
    const [first] = this.#shown
    if (first) return first.message
    throw new BotwrightError('ERR_NO_ANSWER', this.story)
  }
  get id(): string {
    return this.first.id
  }
  get channel_id(): string {
    return this.first.channel_id
  }
  get content(): string {
    return this.first.content
  }
  get embeds(): Seen['embeds'] {
    return this.first.embeds
  }
  /** Buttons and links, row by row. */
  get components(): NonNullable<Seen['components']> {
    return this.first.components ?? []
  }
  /** Whether only the clicker sees it. */
  get ephemeral(): boolean {
    return this.first.ephemeral
  }

  /** All messages of the bot, new or edited, in order. */
  get messages(): readonly Seen[] {
    return this.#shown.map(({ message }) => message)
  }

  /** The person's action and what the bot did after it; if it did nothing, what may have prevented an answer. */
  get story(): string {
    const nothing = this.#shown.length + this.reactions.length + this.deleted.length === 0
    if (nothing && this.#stillRuns !== undefined && this.click === undefined)
      return `${this.upon}, and ${this.#stillRuns}`
    const why = nothing ? (this.#stillRuns ?? this.#why()) : undefined
    return `${this.upon}, and ${this.told}${why === undefined ? '' : `: ${why}`}`
  }

  /** In words: `the bot replied "Pong"`. */
  get told(): string {
    return describeDeeds({ shown: this.#shown, reactions: this.reactions, deleted: this.deleted, click: this.click })
  }
}
