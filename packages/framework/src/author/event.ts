import type { NoMessage, TextOrMessageOrNothing } from './answer.ts'
import type { EventContexts, EventName } from './context.ts'
import { type Defined, definedAs } from './definition.ts'
import type { Guard, ServerIdBehind } from './guards/guard.ts'
import { misspelledField } from './did-you-mean.ts'

/** What `event(…)` gives: the default export of a file under `events/`. */
export interface EventDefinition extends Defined {
  readonly [definedAs]: 'event'
}

/** What happens on an event. */
export interface EventOptions<T extends EventName, G extends readonly Guard[] = readonly Guard[]> {
  /** Asked in this order before it runs; who is refused is not told, but for clicks (`interaction`). */
  guards?: G
  /** Of `message`: whether it also runs on messages of other bots and of channel webhooks; `answerBots` of the configuration unless it says. */
  bots?: T extends 'message' ? boolean : never
  /** Runs when it happens. A text or message that it returns is the reply. */
  run: (ctx: EventContexts<ServerIdBehind<G>>[T]) => EventAnswer<T>
}

/** Nobody waits for an answer when the bot begins or ends: a handler may return what a call gave it, as `ctx.schedule(…)`, but no message. */
type EventAnswer<T extends EventName> = T extends 'ready' | 'shutdown'
  ? NoMessage | Promise<NoMessage>
  : TextOrMessageOrNothing

/**
 * Defines what happens on an event (§6) or at a moment of the bot's life (`ready`, `shutdown`): the default export of
 * `events/<type>.ts`. `events/message.ts` gets the messages that are no command of this bot; `events/interaction.ts` the clicks that
 * no file under `buttons/` handles; `events/unknown.ts` the events of types that this version does not know (`ctx.envelope.type`).
 */
export const event = <T extends EventName, const G extends readonly Guard[] = readonly []>(
  type: T,
  run: ((ctx: EventContexts[T]) => EventAnswer<T>) | EventOptions<T, G>,
): EventDefinition => ({
  [definedAs]: 'event',
  type,
  ...(typeof run === 'function'
    ? { run }
    : { ...run, problem: misspelledField(run, { guards: true, bots: true, run: true }) }),
})
