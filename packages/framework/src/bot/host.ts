import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Definition } from '../author/files/entries.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { Apology, Outbox, Outcome, RunEnd } from '../link/ports.ts'
import type { OwnLanguage } from '../author/texts/words.ts'

/** A loaded bot. */
export interface Bot {
  definitions: readonly Definition[]
  // Computes the commands to register, sorted by name.
  commands: () => readonly Command[]
  // The file that handles an event, or undefined if there is none.
  handlerOf(delivery: Delivery): string | undefined
  // The running files of an event that several files handle. Undefined if one file handles it.
  running?: (delivery: Delivery) => readonly string[] | undefined
  // Whether its handlers have ended, but not the calls that they do not await.
  hasOnlyCalls?: (delivery: Delivery) => boolean
  // Notifies the user of an event about its failure, if the user waits for an answer. Never rejects.
  apologize(delivery: Delivery, why: Apology): Promise<void>
  // Runs the handler. Never rejects: errors are logged with the source line, and the user gets a short apology. Resolves with the failure or the result of work of the bot's own.
  handle(delivery: Delivery): void | Promise<RunEnd | void>
  // `events/ready.ts` and `events/shutdown.ts`.
  lifecycle(moment: 'ready' | 'shutdown'): Promise<void>
  // Loads the modules that wait for their first event, and logs those that do not load. Never rejects. Undefined if all are loaded.
  loadRest?: () => Promise<void>
}

// Its fields have plain comments: a bot's compiler reads this file, its author does not.
/** The dependencies of `loadBot`. */
export interface BotHost {
  call: Call
  clock: Clock
  log: Log
  me: BotProfile
  // How many answers a click still accepts, as far as the supervisor knows.
  answersLeft?: (interactionId: string) => Promise<number>
  // The store of the bot's values. Default: in memory.
  store?: StateStore
  // Required by bots that broadcast.
  outbox?: Outbox
  // Lets the queue of an event continue although its handler has not ended.
  park?: (eventId: EventKey) => void
  // Sends the messages of this turn at once.
  sendNow?: () => void
  // Sets an event aside that failed through no fault of its handler; it can be replayed.
  giveUp?: (event: BotEvent, reason: string, file: string) => void
  // A file gathers an event: it runs with the whole burst later.
  gathers?: (eventId: EventKey, file: string) => void
  // Whether messages of other bots start commands (`answerBots` of the configuration). Default false.
  answerBots?: boolean
  // Whether there is a built-in `/help` (`help` of the configuration). Default true.
  help?: boolean
  // The language of the framework's own texts. Default English.
  language?: OwnLanguage
  // The time limit of handlers, after which `ctx.signal` aborts (`limits.handlerSeconds` of the configuration). Default 60.
  handlerSeconds?: number
  // The values of the declared variables.
  env?: Readonly<Record<string, unknown>>
  // The names of those whose values must not leave the process.
  hiddenEnv?: readonly string[]
  // The options of each plugin in `bot.config.ts`, by the name under which it is mounted.
  plugins?: Readonly<Record<string, { options: unknown }>>
  // Whether each handler's run is an OpenTelemetry span.
  tracing?: boolean
  // Captures the location of each call, so that errors of calls without await name their line. For development: it costs 7 µs.
  callSites?: boolean
  // Receives the outcome of each delivery; the terminal of `framework dev` shows it.
  observe?: (outcome: Outcome) => void
}
