import { expect } from 'vitest'
import { type ButtonLike, type EmbedLike, matchers, type MessageLike } from './lib/people/matchers.ts'

// `import '@botwright/testing/matchers'`, in a test or in vitest's `setupFiles`, adds the matchers for a bot's actions.

export type { ButtonLike, EmbedLike, MessageLike }

/** The matchers for `expect` of an `Answer`. */
interface BotMatchers {
  /** The bot wrote something; this text as a whole, something with this pattern, or a message with these fields. */
  toHaveReplied(message?: MessageLike): void
  /** The bot edited one of its messages. */
  toHaveUpdated(message?: MessageLike): void
  /** The bot reacted. */
  toHaveReacted(emoji?: string): void
  /** Only the clicker sees the first message. Accepts a message, too. */
  toBeEphemeral(): void
  /** A card with these fields is shown. Accepts a message, too. */
  toHaveEmbed(embed?: EmbedLike): void
  /** A button with this name or these fields is shown. Accepts a message, too. */
  toHaveButton(button?: ButtonLike): void
}

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-explicit-any, typescript/no-empty-object-type -- as vitest declares it
  interface Matchers<T = any> extends BotMatchers {}
}

expect.extend(matchers)
