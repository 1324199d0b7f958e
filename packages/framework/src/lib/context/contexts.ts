import type { EventData, EventType } from '@botwright/protocol/shapes'
import { BotContext } from './bot-context.ts'
import type { ButtonContext } from './button-context.ts'
import type { Context } from './context.ts'
import type { EventContext } from './event-context.ts'
import type { MessageContext } from './message-context.ts'

/** What a middleware is given: any context. */
export type AnyContext = Context

/** What the handler in `events/<name>.ts` is given. */
export type EventContexts = {
  [T in Exclude<EventType, 'message' | 'interaction'>]: EventContext<EventData<T>>
} & {
  message: MessageContext
  interaction: ButtonContext
  /** Events of types that this version does not know. */
  unknown: EventContext
  ready: LifecycleContext
  shutdown: LifecycleContext
}

/** What a file under `events/` may be called. */
export type EventName = keyof EventContexts

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export class LifecycleContext extends BotContext {
  protected override get occasion(): string {
    return `lifecycle ${this.around.clock.now()}`
  }
}
