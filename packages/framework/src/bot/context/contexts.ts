import type { EventData, EventType } from '@botwright/protocol/shapes'
import { around, BotContext, occasion } from './bot-context.ts'
import type { ButtonContext } from './button-context.ts'
import type { Context, ServerId } from './context.ts'
import type { EventContext } from './event-context.ts'
import type { MessageContext } from './message-context.ts'

/** What a middleware is given: any context. */
export type AnyContext = Context

/** These happen in a server, always (§6). */
type ServerEvent = 'member_join' | 'member_leave' | 'voice_join' | 'voice_leave'

/** What the handler in `events/<name>.ts` is given. `S`: what its guards leave of `ctx.server_id`. */
export type EventContexts<S extends ServerId = ServerId> = {
  [T in Exclude<EventType, 'message' | 'interaction' | ServerEvent>]: EventContext<EventData<T>, S>
} & {
  [T in ServerEvent]: EventContext<EventData<T>, string>
} & {
  message: MessageContext<S>
  interaction: ButtonContext<string, S>
  /** Events of types that this version does not know. */
  unknown: EventContext<Record<string, unknown>, S>
  ready: LifecycleContext
  shutdown: LifecycleContext
}

/** What a file under `events/` may be called. */
export type EventName = keyof EventContexts

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export class LifecycleContext extends BotContext {
  protected override get [occasion](): string {
    return `lifecycle ${this[around].clock.now()}`
  }
}
