import type { Clock } from '@botwright/clock'
import type { Report } from '@botwright/events'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import type { CallHandle } from '@botwright/rest'
import type { BotDispatcher } from '../../link/dispatcher.ts'
import type { LoadedCode } from '../../link/ports.ts'
import type { HealthWatch } from '../health/health-watch.ts'
import type { Health } from '../health/open-health.ts'
import type { OwnedOutbox } from '../sending/outbox.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import type { Backend } from './backend.ts'
import type { Cleanup } from './cleanup.ts'

/** The health endpoint and the state that it reports. */
export interface HealthEndpoint {
  server: Health
  watch: HealthWatch
}

/** The result of `connect`. */
export interface Connection {
  options: StartBotOptions
  clock: Clock
  signal: AbortSignal
  report: Report
  /** Undefined without `config.health`, and while another process uses its port: `open` tries again under the lock. */
  health: HealthEndpoint | undefined
  /** Releases what this and the later stages have opened. */
  cleanup: Cleanup
}

/** The result of `identify`. */
export interface Identity {
  connection: Connection
  me: BotProfile
}

/** The result of `open`. */
export interface Stores extends Identity {
  health: HealthEndpoint | undefined
  backend: Backend
  call: CallHandle
  outbox: OwnedOutbox
  recorder: Recorder | undefined
}

/** The result of `load`. */
export interface LoadedBot extends Stores {
  dispatcher: BotDispatcher
  code: LoadedCode
  /** The answer of GET /commands, requested while the code loaded; undefined if other instances may register meanwhile. */
  registered: Promise<{ commands: readonly Command[] }> | undefined
}
