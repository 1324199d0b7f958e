import type { EventKey } from '@botwright/events/event'
import type { ThreadIo } from '../../link/thread-io.ts'
import type { BareWorker } from './bare-worker.ts'

/** The options of a dispatcher that concern its threads. */
export interface ThreadOptions {
  /** Threads that were started before the bot was identified; the dispatcher removes those it uses from the list. */
  started?: BareWorker[]
  /** For threads that are started here. Default: that of the process. */
  io?: ThreadIo | undefined
  /** Keeps workers ready with the runtime loaded, so that a replacement is quick: `framework dev`. Default false. */
  keepSpare?: boolean
  /** A thread that does not answer a heartbeat for this long is replaced. Default 15. */
  blockSeconds?: number
  /** Called with the events whose handlers waited for a user's answer when their thread died. */
  onConversationsLost?: (eventIds: readonly EventKey[]) => void
  /** The time limit for loading new code while older code runs, see `LoadLimits`. Default 5. */
  loadSeconds?: number
  /** The time limit while a slot has no thread: at startup and after a thread has died. Longer, because a busy host may be slow. Default 30. */
  firstLoadSeconds?: number
}
