import type { Log } from '../../author/ports.ts'
import type { Outcome } from '../../link/ports.ts'

type Observe = (outcome: Outcome) => void

/** Combines all observers of outcomes into one function. Without any, returns undefined, so that workers send no outcomes. */
export function observersOf(log: Log, ...others: (Observe | undefined)[]): Observe | undefined {
  const all = [log.isLevelEnabled?.('debug') ? eventLine(log) : undefined, ...others].filter((one) => one !== undefined)
  if (all.length < 2) return all[0]
  return (outcome) => {
    for (const observe of all) observe(outcome)
  }
}

/** Logs one line for each event at level debug. */
const eventLine =
  (log: Log): Observe =>
  ({ eventId, type, file = 'no file', ms, result }) => {
    const rounded = ms === undefined ? undefined : Math.round(ms * 100) / 100
    const took = rounded === undefined ? '' : ` in ${rounded} ms`
    log.debug({ event: eventId, type, file, ms: rounded, result }, `${type} → ${file}: ${result}${took}`)
  }
