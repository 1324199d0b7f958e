import type { Delivery } from '@botwright/events/event'
import type { StateStore } from '../author/ports.ts'
import type { Handler } from './compile-handler.ts'
import type { Context } from './context/context.ts'
import type { OpenQuestions } from './conversation/questions-host.ts'
import type { Waiting } from './conversation/waiting.ts'
import type { HandlerFunction } from './guards/guarded.ts'
import type { Bot, BotHost } from './host.ts'
import type { BotServices } from './services.ts'

/** The part of a bot that handles deliveries. */
export type Handling = Pick<Bot, 'handle' | 'handlerOf' | 'apologize'>

/** Runs handlers that may outlive their thread. */
export interface DurableHandlers {
  /** Begins the handler of an event. Settles once the event need not be delivered again. The outcome is reported when the handler has ended. */
  begin(ctx: Context): Promise<void>
  /** Wraps the handling of a bot: deliveries that continue such handlers go to them. */
  around<T extends Handling>(bot: T): T
}

/** A handler that continues. `input`: set if it runs again, with these args or params, or with those of its event. */
export interface Resumed {
  input?: { given: Readonly<Record<string, unknown>> | undefined }
}

/** The parts of a loaded bot that such handlers need. */
export interface DurableHandlersHost extends BotHost {
  waiting: Waiting
  root: string
  services: BotServices
  handlers: readonly Handler[]
  ready: (handler: Handler) => Promise<HandlerFunction>
  createQuestions: OpenQuestions
  /** Creates the context of a delivery with these services. `resumed`: of a handler that continues. */
  contextOf: (delivery: Delivery, handler: Handler, services: BotServices, resumed?: Resumed) => Context | undefined
  /** See `BotSource`. */
  codeId?: string | undefined
  /** Called with each handler that is continued from the store. For code in this thread: a test's. */
  loading?: ((continued: Promise<unknown>) => void) | undefined
}

/** Opens such handlers. `store`: of the bot's values, outside of all layers. */
export type OpenDurableHandlers = (store: StateStore) => {
  /** Another handler asks a question with this key: from now on, its answers are not for such a handler. */
  replace: (key: string) => Promise<void>
  open: (host: DurableHandlersHost) => DurableHandlers
}
