import type { BotProfile, EventData, EventType, Message } from '@botwright/protocol'
import type { Client } from '@botwright/rest'
import { bodyOf, type Outgoing } from '../reply.ts'
import type { Log } from '../ports.ts'
import type { ButtonContext } from './button-context.ts'
import type { Context, Surroundings } from './context.ts'
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
  ready: LifecycleContext
  shutdown: LifecycleContext
}

/** What a file under `events/` may be called. */
export type EventName = keyof EventContexts

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export class LifecycleContext {
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  /** Every endpoint of the interface (§4). */
  get api(): Client {
    return this.#around.api
  }
  get log(): Log {
    return this.#around.log
  }
  /** The bot's own profile. */
  get me(): BotProfile {
    return this.#around.me
  }
  /** Posts into any channel that the bot sees. */
  send(channel_id: string, message: Outgoing): Promise<Message> {
    return this.#around.call('messages.create', { ...bodyOf(message), channel_id }, { priority: 'broadcast' })
  }
}
