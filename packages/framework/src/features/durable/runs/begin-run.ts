import type { EventKey } from '@botwright/events/event'
import type { Layer } from '../../../bot/layer.ts'
import type { LiveRun } from './live-run.ts'

/** How a run begins: for the first time, or from the store. `answer`: the event for which it does. */
export type RunBegin = 'first' | { answer?: EventKey | undefined; restarted: boolean }

/** Runs the function of a run, whose work belongs to its event. */
export function beginRun(
  { within }: Layer,
  { id, file, event, replay }: LiveRun,
  { from, execute }: { from: RunBegin; execute: () => void },
): void {
  if (!within) return execute()
  const repeats = () => replay.repeats
  if (from === 'first') return within(event, execute, { repeats })
  const { answer, restarted } = from
  const facts = { ...(answer !== undefined && { answer }), ...(restarted && { restarted }) }
  within(event, execute, { repeats, continued: { run: id, file, ...facts } })
}
