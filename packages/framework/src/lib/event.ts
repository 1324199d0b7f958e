import type { EventContexts, EventName } from './context/contexts.ts'
import { definedAs, type Defined } from './definition.ts'

export interface EventDefinition extends Defined {
  readonly [definedAs]: 'event'
}

/**
 * Defines what happens on an event (§6) or at a moment of the bot's life (`ready`, `shutdown`): the default export of
 * `events/<type>.ts`. `events/message.ts` gets the messages that are no command of this bot, those of other bots included
 * (`ctx.author.bot`); `events/interaction.ts` the clicks that no file under `buttons/` handles.
 */
export const event = <T extends EventName>(type: T, run: (ctx: EventContexts[T]) => unknown): EventDefinition => ({
  [definedAs]: 'event',
  type,
  run,
})
