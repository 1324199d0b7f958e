import type { BotHost } from './host.ts'
import type { EventScope } from './recording/event-scope.ts'

/** The dependencies of a bot that may be recorded. They are not in `BotHost`, so that a bot's compiler does not read the format of timelines. */
export interface RecordedHost extends BotHost {
  /** Tracks the event of the running handler and records its steps. */
  scope?: EventScope
}
