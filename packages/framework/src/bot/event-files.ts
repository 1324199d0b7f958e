import type { Delivery, EventKey } from '@botwright/events/event'
import type { BotServices } from './services.ts'
import type { Handler } from './compile-handler.ts'
import type { Context } from './context/context.ts'
import type { BotHost } from './host.ts'
import type { Match, Matcher } from './match.ts'

/** Runs the files of events that several files handle, or files with conditions. */
export interface EventFiles {
  run: (delivery: Delivery, handlers: readonly Handler[]) => void | Promise<void>
  /** The files that have neither ended nor wait for a user. Undefined if none does, or if one file alone handles the event. */
  running: (event: EventKey) => readonly string[] | undefined
  /** A file waits for a user. */
  park: (event: EventKey, file: string) => void
}

/** The dispatch of a bot, for the files of its events. */
export interface EventFilesHost extends Pick<BotHost, 'clock' | 'gathers' | 'log' | 'park' | 'sendNow'> {
  readonly matcher: Matcher
  readonly services: BotServices
  /** Loads a handler. */
  ready: (handler: Handler) => Promise<unknown>
  /** Never rejects. */
  run: (match: Match & { ctx: Context }) => void | Promise<void>
  /** The event was set aside while this context ran: its file is to run again. */
  isGivenUp: (ctx: Context) => boolean
}

/** Opens the running of event files. */
export type OpenEventFiles = (host: EventFilesHost) => EventFiles
