import type { Log } from '../author/ports.ts'
import type { Observer } from '../runtime/ports/observer.ts'

/** Logs one line for each event, at level debug. */
export function eventLog(log: Log): Observer {
  if (!log.isLevelEnabled?.('debug')) return {}
  return {
    outcome({ eventId, type, file = 'no file', ms, result }) {
      const rounded = ms === undefined ? undefined : Math.round(ms * 100) / 100
      const took = rounded === undefined ? '' : ` in ${rounded} ms`
      log.debug({ event: eventId, type, file, ms: rounded, result }, `${type} → ${file}: ${result}${took}`)
    },
  }
}
