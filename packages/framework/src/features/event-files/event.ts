import type { NoMessage, TextOrMessageOrNothing } from '../../author/answer.ts'
import { type Condition, type ConditionList, conditionsOf, type MatchIf, type PatternOf } from './conditions.ts'
import type { EventContexts, EventName } from './event-contexts.ts'
import { type Defined, definedAs, type GatherOptions } from '../../author/definition.ts'
import type { DurableOption, MembersIf } from '../../author/durable.ts'
import { gathering } from '../../author/gather.ts'
import type { Guard, ServerIdBehind } from '../../author/guards/guard.ts'
import { misspelledField } from '../../author/did-you-mean.ts'

/** The result of `event(…)`: the default export of a file under `events/`. */
export interface EventDefinition extends Defined {
  readonly [definedAs]: 'event'
}

/** The definition of an event's handler. */
export interface EventOptions<
  T extends EventName,
  G extends readonly Guard[] = readonly Guard[],
  D extends true | undefined = undefined,
  P extends PatternOf<T> = PatternOf<T>,
  W = unknown,
> extends DurableOption<D> {
  /**
   * Of `message`: it runs only on texts that match this pattern: `/\bBUG-(?<id>\d+)\b/`. `ctx.match` is the first match, and `ctx.match.groups` has the
   * named groups. If the pattern is a text, `'BUG-(?<id>\\d+)'`, their names are typed.
   */
  match?: P
  /** It runs only if all of these pass: `mentioned()`, `inChannel('#support')`, any guard, or a function that returns `true`. Nothing happens otherwise. */
  when?: W | Condition<EventContexts[T]> | readonly Condition<EventContexts[T]>[]
  /** It runs only if no other file of this event does. */
  otherwise?: true
  /** Events that follow each other quickly run it once: `{ quiet: '1.5s', max: '10s' }`. `ctx.events` has all of them, in their order. */
  gather?: T extends 'interaction' | 'unknown' | 'ready' | 'shutdown' | 'error' ? never : GatherOptions
  /** Checked in this order before it runs. A refused user gets no reply, except for clicks (`interaction`). */
  guards?: G
  /** Of `message`: whether it also runs on messages of other bots and of channel webhooks. Default: `answerBots` of the configuration. */
  bots?: T extends 'message' ? boolean : never
  /** Runs when it happens. A returned text or message is the reply. */
  run: (
    ctx: EventContexts<ServerIdBehind<readonly [...G, ...ConditionList<W>]>>[T] & MembersIf<D> & MatchIf<P>,
  ) => EventAnswer<T>
}

const eventFields: Readonly<Record<keyof EventOptions<EventName>, true>> = {
  match: true,
  when: true,
  otherwise: true,
  gather: true,
  guards: true,
  bots: true,
  durable: true,
  timeout: true,
  version: true,
  onUpgrade: true,
  run: true,
}

/** There is no channel to reply to when the bot starts or stops, or has failed: a handler may return the result of a call, such as `ctx.schedule(…)`, but not a message. */
type EventAnswer<T extends EventName> = T extends 'ready' | 'shutdown' | 'error'
  ? NoMessage | Promise<NoMessage>
  : TextOrMessageOrNothing

/**
 * Defines the handler of an event (§6) or of a lifecycle moment (`ready`, `shutdown`): the default export of
 * `events/<type>.ts`, or of one of several files in `events/<type>/`. `events/message.ts` receives messages that are not commands of this bot; `events/interaction.ts` clicks that
 * no file under `buttons/` handles; `events/unknown.ts` events of types that this version does not support (`ctx.envelope.type`).
 */
export const event = <
  T extends EventName,
  const G extends readonly Guard[] = readonly [],
  D extends true | undefined = undefined,
  const P extends PatternOf<T> = undefined,
  const W = readonly [],
>(
  type: T,
  run: ((ctx: EventContexts[T]) => EventAnswer<T>) | EventOptions<T, G, D, P, W>,
): EventDefinition => ({ [definedAs]: 'event', type, ...(typeof run === 'function' ? { run } : defined(run)) })

function defined<O extends object>(
  options: O & { match?: unknown; when?: unknown; otherwise?: unknown; gather?: unknown },
) {
  const problem = misspelledField<object>(options, eventFields)
  try {
    const conditions = conditionsOf(options)
    const gathers = gathering(options, conditions)
    return { ...options, conditions, ...gathers, problem: problem ?? gathers.problem }
  } catch (error) {
    return { ...options, problem: problem ?? (error as Error).message }
  }
}
