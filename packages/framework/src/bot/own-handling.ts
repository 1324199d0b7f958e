import type { Handler } from './compile-handler.ts'
import type { HandlerFunction } from './guards/guarded.ts'
import type { Bot, BotHost } from './host.ts'
import type { BotServices } from './services.ts'

/** The parts of a loaded bot that handle work of its own. */
interface OwnHost {
  handlers: readonly Handler[]
  services: BotServices
  host: BotHost
  root: string
  ready: (handler: Handler) => Promise<HandlerFunction>
}

/** Handles the deliveries of one type of work of the bot's own: runs of tasks, requests to routes, failures for the files of the event `error`. No user waits for an answer. */
export type OwnHandling = (host: OwnHost) => Pick<Bot, 'handlerOf' | 'handle'>
