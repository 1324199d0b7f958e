import type { Clock } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Definition } from '../author/entries.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { Apology, Outbox, Outcome } from '../link/ports.ts'
import type { Waiting } from './conversation/waiting.ts'
import type { OwnLanguage } from '../author/texts/words.ts'

/** A bot, loaded: the side of the house that runs the author's code. Lives in the main thread or in a worker. */
export interface Bot {
  definitions: readonly Definition[]
  // What is to be registered, sorted by name.
  commands: readonly Command[]
  // The file that handles an event, or undefined when none does.
  handlerOf(delivery: Delivery): string | undefined
  // Tells the person whom an event came from what became of it, where somebody waits for an answer. Never rejects.
  apologize(delivery: Delivery, why: Apology): Promise<void>
  // Runs the handler. Never rejects: errors are logged with the source line, and the user gets a short apology.
  handle(delivery: Delivery): void | Promise<void>
  // `events/ready.ts` and `events/shutdown.ts`.
  lifecycle(moment: 'ready' | 'shutdown'): Promise<void>
}

/** What `loadBot` needs from the thread it runs in. Its fields have plain comments: a bot's compiler reads this file, its author does not. */
export interface BotHost {
  call: Call
  clock: Clock
  log: Log
  me: BotProfile
  // Where the bot keeps its values. Without one they are gone with the thread.
  store?: StateStore
  // Needed by bots that broadcast.
  outbox?: Outbox
  // The handlers of this thread that wait for answers; outlives the bot's code.
  waiting?: Waiting
  // Lets the lane of an event go on although its handler has not ended.
  park?: (eventId: number) => void
  // Sets an event aside that failed by no fault of its handler: somebody may have it run again.
  giveUp?: (event: BotEvent, reason: string, file: string) => void
  // Whether messages of other bots start commands (`answerBots` of the configuration); no unless it says so.
  answerBots?: boolean
  // Whether there is a `/help` that no file makes (`help` of the configuration); yes unless it says otherwise.
  help?: boolean
  // The language of the framework's own texts; English.
  language?: OwnLanguage
  // When `ctx.signal` aborts (`limits.handlerSeconds` of the configuration); 60 unless it says otherwise.
  handlerSeconds?: number
  // The values of the variables that the configuration declares.
  env?: Readonly<Record<string, unknown>>
  // The names of those of them that nothing which leaves the process may hold.
  hiddenEnv?: readonly string[]
  // What `bot.config.ts` gives each plugin, by the name under which it is mounted.
  plugins?: Readonly<Record<string, { options: unknown }>>
  // Whether each handler's run is an OpenTelemetry span.
  tracing?: boolean
  // Captures where each call is made, so that its error names the line even where nothing awaits it. Where a bot is recorded.
  callSites?: boolean
  // Tells how a delivery went; the terminal of `framework dev` shows it.
  observe?: (outcome: Outcome) => void
}
