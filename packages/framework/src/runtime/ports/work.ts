import type { Clock } from '@botwright/clock'
import type { HttpAnswer } from '@botwright/events'
import type { Delivery } from '@botwright/events/event'
import type { Config } from '../../author/config/config.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { RunEnd } from '../../link/ports.ts'
import type { Observer } from './observer.ts'
import type { Switches } from './switches.ts'

/** Work that reaches the bot from elsewhere than the service. */
export interface Work {
  /** Begins the work, and is called with the definitions of new code. */
  update(definitions: readonly Definition[]): Promise<void>
  readonly answer: HttpAnswer
  /** How many of its stored requests run. */
  readonly running: number
  /** Accepts no new work; running handlers have `graceMs` to finish. */
  stop(graceMs: number): Promise<void>
}

/** The parts of a bot that its work uses. */
export interface WorkHost {
  config: Config
  store: StateStore
  /** The clock of the times in the store. */
  clock: Clock
  log: Log
  switches: Pick<Switches, 'isOff'>
  claims?: Claims | undefined
  /** Called with each look at the stored work: a test's clock waits for it. */
  loading?: ((looking: Promise<unknown>) => void) | undefined
  observer?: Pick<Observer, 'workBegan' | 'unrun'>
  /** Runs work in the bot's thread. */
  dispatch: (delivery: Delivery, ended: (end: RunEnd) => void) => Promise<void>
}
