import type { NoMessage, TextOrMessageOrNothing } from './answer.ts'
import type { EventContexts, EventName } from './context.ts'
import { type Defined, definedAs } from './definition.ts'
import type { DurableOption, MembersIf } from './durable.ts'
import type { Guard, ServerIdBehind } from './guards/guard.ts'
import { misspelledField } from './did-you-mean.ts'

/** The result of `event(…)`: the default export of a file under `events/`. */
export interface EventDefinition extends Defined {
  readonly [definedAs]: 'event'
}

/** The definition of an event's handler. */
export interface EventOptions<
  T extends EventName,
  G extends readonly Guard[] = readonly Guard[],
  D extends true | undefined = undefined,
> extends DurableOption<D> {
  /** Checked in this order before it runs. A refused user gets no reply, except for clicks (`interaction`). */
  guards?: G
  /** Of `message`: whether it also runs on messages of other bots and of channel webhooks. Default: `answerBots` of the configuration. */
  bots?: T extends 'message' ? boolean : never
  /** Runs when it happens. A returned text or message is the reply. */
  run: (ctx: EventContexts<ServerIdBehind<G>>[T] & MembersIf<D>) => EventAnswer<T>
}

const eventFields: Readonly<Record<keyof EventOptions<EventName>, true>> = {
  guards: true,
  bots: true,
  durable: true,
  timeout: true,
  version: true,
  onUpgrade: true,
  run: true,
}

/** There is no channel to reply to when the bot starts or stops: a handler may return the result of a call, such as `ctx.schedule(…)`, but not a message. */
type EventAnswer<T extends EventName> = T extends 'ready' | 'shutdown'
  ? NoMessage | Promise<NoMessage>
  : TextOrMessageOrNothing

/**
 * Defines the handler of an event (§6) or of a lifecycle moment (`ready`, `shutdown`): the default export of
 * `events/<type>.ts`. `events/message.ts` receives messages that are not commands of this bot; `events/interaction.ts` clicks that
 * no file under `buttons/` handles; `events/unknown.ts` events of types that this version does not support (`ctx.envelope.type`).
 */
export const event = <
  T extends EventName,
  const G extends readonly Guard[] = readonly [],
  D extends true | undefined = undefined,
>(
  type: T,
  run: ((ctx: EventContexts[T]) => EventAnswer<T>) | EventOptions<T, G, D>,
): EventDefinition => ({
  [definedAs]: 'event',
  type,
  ...(typeof run === 'function' ? { run } : { ...run, problem: misspelledField(run, eventFields) }),
})
