import type { EventScope } from '../recording/event-scope.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Runs the function of a run, whose steps belong to its event. `from`: whether it continues from its record, or the id of the answer for
 * which it does.
 */
export function recordedRun(
  scope: EventScope | undefined,
  { id, file, event, replay }: LiveRun,
  { from, execute }: { from: number | boolean; execute: () => void },
): void {
  if (!scope) return execute()
  const answer = typeof from === 'number' && { answer: from }
  const begin = () => {
    if (from !== false) scope.continues({ kind: 'continued', run: id, file, ...answer }, event)
    execute()
  }
  scope.run(event.id, begin, () => replay.repeats)
}
