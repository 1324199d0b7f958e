import { type EventKey, eventKey } from '@botwright/events/event'
import type { EventScope } from '../recording/event-scope.ts'
import type { LiveRun } from './live-run.ts'

/** How a run begins: for the first time, or from the store. `answer`: the event for which it does. */
export type RunBegin = 'first' | { answer?: EventKey | undefined; restarted: boolean }

/** Runs the function of a run, whose steps belong to its event. */
export function recordedRun(
  scope: EventScope | undefined,
  { id, file, event, replay }: LiveRun,
  { from, execute }: { from: RunBegin; execute: () => void },
): void {
  if (!scope) return execute()
  const begin = () => {
    if (from !== 'first') {
      const { answer, restarted } = from
      const facts = { ...(answer !== undefined && { answer }), ...(restarted && { restarted }) }
      scope.continues({ kind: 'continued', run: id, file, ...facts }, event)
    }
    execute()
  }
  scope.run(eventKey(event), begin, () => replay.repeats)
}
