import type { Context } from '../../author/context.ts'
import type { Handler } from '../../bot/compile-handler.ts'
import type { HandlerFunction } from '../../bot/guards/guarded.ts'
import type { BotServices } from '../../bot/services.ts'

/** The parts of a bot that running its commands for a model needs. */
export interface CommandsHost {
  handlers: readonly Handler[]
  services: BotServices
  ready: (handler: Handler) => Promise<HandlerFunction>
  /** Runs a handler, or refuses if its file is switched off. */
  unlessOff: (ctx: Context, handler: Handler, run: HandlerFunction) => Promise<unknown>
}
