import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import type { Definition, TaskSchedule } from '../../../author/files/entries.ts'
import type { Log } from '../../../author/ports.ts'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import type { Claims } from '../../../link/claims.ts'
import type { RunFailure } from '../../../link/ports.ts'
import type { TaskRun } from '../../../link/task-event.ts'
import { WatchedStore } from '../../../runtime/state/watched-store.ts'
import { Scheduler } from './scheduler.ts'

/** A clock that can be set. */
class SetClock extends VirtualClock {
  setMs = 0
  override now(): number {
    return super.now() + this.setMs
  }
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A host whose store outlives its schedulers. */
export function host(startMs = Date.UTC(2026, 0, 1)) {
  const clock = new SetClock(startMs)
  const store = new WatchedStore(new MemoryStore(clock))
  const lines: string[] = []
  const note = (_facts: object, message: string) => void lines.push(message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const runs: (TaskRun & { again: boolean; at: number; end: () => void })[] = []
  const define = (name: string, schedule: Partial<TaskSchedule>): Definition => ({
    kind: 'task',
    name,
    file: `tasks/${name}.ts`,
    schedule: { missed: 'once', retry: false, ...schedule },
  })
  /** `slow`: a run ends when its `end` is called. `fails`: the failure of a run. */
  const start = async (
    definitions: Definition[],
    { slow = false, fails, claims }: { slow?: boolean; fails?: () => RunFailure | undefined; claims?: Claims } = {},
  ) => {
    const dispatch = (delivery: Delivery, failed: (failure: RunFailure) => void) =>
      new Promise<void>((end) => {
        const run = delivery.event.data as unknown as TaskRun
        runs.push({ ...run, again: delivery.attempt > 1, at: clock.now(), end })
        const failure = fails?.()
        if (failure) failed(failure)
        if (!slow) end()
      })
    const scheduler = new Scheduler({ store, clock, log, dispatch, ...(claims && { claims }) })
    store.onWrite = () => scheduler.wake()
    scheduler.update(definitions)
    await clock.advance(0)
    await clock.advance(0)
    return scheduler
  }
  const times = () => runs.map(({ scheduledAtMs }) => new Date(scheduledAtMs).toISOString())
  return { clock, store, lines, runs, define, start, times }
}
