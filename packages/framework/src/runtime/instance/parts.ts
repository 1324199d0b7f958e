import type { Clock } from '@botwright/clock'
import type { Report } from '@botwright/events'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { CallHandle } from '@botwright/rest'
import type { BotDispatcher } from '../../link/dispatcher.ts'
import type { WatchedStore } from '../state/watched-store.ts'
import type { LoadedCode } from '../../link/ports.ts'
import type { HealthWatch } from '../health/health-watch.ts'
import type { Health } from '../health/open-health.ts'
import type { OwnedOutbox } from '../sending/outbox.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'

/** What `startBot` has made ready. */
export interface BotParts {
  options: StartBotOptions
  clock: Clock
  signal: AbortSignal
  call: CallHandle
  me: BotProfile
  store: WatchedStore
  outbox: OwnedOutbox
  dispatcher: BotDispatcher
  report: Report
  recorder: Recorder | undefined
  health: { server: Health; watch: HealthWatch } | undefined
  code: LoadedCode
  /** The answer of GET /commands, asked for before there was code; undefined where others may register meanwhile. */
  registered: Promise<{ commands: readonly Command[] }> | undefined
  /** Gives everything back that was taken for the bot. */
  release: () => Promise<void>
}
