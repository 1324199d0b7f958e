import { BotwrightError } from '@botwright/protocol/facts'
import { describeDeeds } from './describe.ts'
import type { Deeds, Seen } from './seen.ts'

/**
 * What the bot did in response to an action of a person, as that person saw it: messages (including direct and ephemeral ones), edits,
 * reactions. Its own fields are those of the first message: `answer.content`, `answer.embeds`. They throw if there is no message.
 */
export class Answer implements Pick<Seen, 'id' | 'channel_id' | 'content' | 'embeds' | 'ephemeral'> {
  /** `ann said "/ping"` */
  readonly upon: string
  /** New messages of the bot, in order. */
  readonly replies: readonly Seen[]
  /** Messages that the bot edited, as they were after each edit. */
  readonly updates: readonly Seen[]
  /** What the bot reacted with. */
  readonly reactions: Deeds['reactions']
  /** Ids of the messages that were deleted in the meantime. */
  readonly deleted: readonly string[]
  /** For a click: `answered`, even if it was only acknowledged; `failed` after 3 seconds without an answer. Otherwise undefined. */
  readonly click: Deeds['click']
  readonly #shown: Deeds['shown']
  readonly #why: () => string | undefined

  /** @internal `why`: what may have kept the bot from answering. */
  constructor(upon: string, deeds: Deeds, why: () => string | undefined = () => undefined) {
    this.upon = upon
    this.#shown = deeds.shown
    this.replies = deeds.shown.filter(({ how }) => how === 'reply').map(({ message }) => message)
    this.updates = deeds.shown.filter(({ how }) => how === 'update').map(({ message }) => message)
    this.reactions = deeds.reactions
    this.deleted = deeds.deleted
    this.click = deeds.click
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

  /** What the person did and how the bot responded. If it did not respond, the likely reason. */
  get story(): string {
    const nothing = this.#shown.length + this.reactions.length + this.deleted.length === 0
    const why = nothing ? this.#why() : undefined
    return `${this.upon}, and ${this.told}${why === undefined ? '' : `: ${why}`}`
  }

  /** In words: `the bot replied "Pong"`. */
  get told(): string {
    return describeDeeds({ shown: this.#shown, reactions: this.reactions, deleted: this.deleted, click: this.click })
  }
}
