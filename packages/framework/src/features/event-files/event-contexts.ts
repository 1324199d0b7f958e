import type { EventData, EventType } from '@botwright/protocol/shapes'
import type { ButtonContext, EventContext, LifecycleContext, MessageContext, ServerId } from '../../author/context.ts'
import type { ErrorContext } from '../errors/failure.ts'

/** These always happen in a server (§6). */
type ServerEvent = 'member_join' | 'member_leave' | 'voice_join' | 'voice_leave'

/** The context of the handler in `events/<name>.ts`. `S`: the type of `ctx.server_id` after its guards. */
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
  /** Failures of the bot. */
  error: ErrorContext
}

/** The valid names of files under `events/`. */
export type EventName = keyof EventContexts
