import type { Timer } from '@botwright/clock'
import type { Fault } from './worker-fault.ts'
import type { OpenRun, WorkerThread } from './worker-thread.ts'
import type { BotSource, LoadedCode } from '../../link/ports.ts'

/** Holds one worker thread at a time; its queues outlive the thread. */
export interface Slot {
  thread: WorkerThread | undefined
  /** Runs that wait for a thread. */
  waiting: OpenRun[]
  /** Suspects run one after the other, so that the next death identifies the cause. */
  suspects: OpenRun[]
  suspectRuns: boolean
  faults: number
  lastFaultMs: number
  /** A run has finished since an event of this slot was last set aside. */
  progresses: boolean
  restart: Timer | undefined
  /** Resolves when it has a thread, or the code does not load in one. Set while that is tried. */
  restarting: Promise<void> | undefined
  /** Faults that are not logged yet: only a worker with code can look up the files. */
  unreported: Fault[]
}

export const emptySlot = (): Slot => ({
  thread: undefined,
  waiting: [],
  suspects: [],
  suspectRuns: false,
  faults: 0,
  lastFaultMs: -Infinity,
  progresses: true,
  restart: undefined,
  restarting: undefined,
  unreported: [],
})

/** Code that waits until former code is replaced. */
export interface Replacement {
  source: BotSource
  signal: AbortSignal | undefined
  promise: Promise<LoadedCode>
  resolve: (code: LoadedCode) => void
  reject: (error: unknown) => void
}
