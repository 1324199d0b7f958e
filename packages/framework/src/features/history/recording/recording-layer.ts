import { systemClock } from '@botwright/clock'
import { eventKey } from '@botwright/events/event'
import type { Layer, LayeredCallOptions, MatchResult } from '../../../bot/layer.ts'
import type { BotSource } from '../../../link/ports.ts'
import type { StepReports } from '../../../link/recorded-step.ts'
import { EventScope } from './event-scope.ts'
import { failureDetails } from './failure-details.ts'
import { recordedCode } from './recorded-code.ts'
import { recordedStore } from './recorded-store.ts'

/** Records the steps of a bot's handlers. */
export function recordingLayer(source: Pick<BotSource, 'modules' | 'root'>, reports: StepReports): Layer {
  const { root } = source
  const loadedMs = systemClock.now()
  const scope = new EventScope({ root, ...reports })
  return {
    ...recordedCode(scope, source),
    call: (call) => (name, input, options) => {
      const { eventId } = scope
      if (eventId === undefined) return call(name, input, options)
      const own: LayeredCallOptions = { eventId, ...options }
      return call(name, input, own)
    },
    store: (store) => recordedStore(store, scope),
    within(event, work, run) {
      const { continued, repeats } = run ?? {}
      if (!continued) return scope.run(eventKey(event), work, repeats)
      const begin = () => {
        scope.continues({ kind: 'continued', ...continued }, event)
        return work()
      }
      return scope.run(eventKey(event), begin, repeats)
    },
    matched(result) {
      if (!('reason' in result)) scope.matched(result.file, result.near)
      else if ('to' in result) return passed(scope, result)
      else scope.note({ kind: 'unmatched', ...result })
      return undefined
    },
    waits(file) {
      const at = scope.lineOf(file)
      return ({ mostMs, ...wait }) => {
        const t = scope.now()
        return scope.begin({ kind: 'wait', ...wait, ...(mostMs !== undefined && { untilMs: t + mostMs }), t, at })
      }
    },
    failed: (error, at) => failureDetails(error, root, at, loadedMs),
    flush: () => scope.flush(),
  }
}

/** Records that an event was passed to a waiting handler. Its queue may continue at once, so this is sent at once. */
function passed(scope: EventScope, result: Extract<MatchResult, { to: unknown }>): () => void {
  const ended = scope.begin({ kind: 'unmatched', ...result })
  scope.flush()
  return () => {
    ended()
    scope.flush()
  }
}
