import type { MessageCreate } from '@botwright/protocol/shapes'
import type { RecordedCall, RecordedEvent } from './recorded-event.ts'
import type { PassedStep } from './stored-event.ts'

/** The clocks of two threads differ by less. */
const CLOCKS_MS = 1

/**
 * The work of the handler that an event was passed to, until it waited again or ended. `rows`: those of the event that started the handler. A
 * long durable run has several.
 */
export function passedTo(
  { type, data }: RecordedEvent,
  { to, t, ms = Infinity }: PassedStep,
  rows: readonly RecordedEvent[],
): Pick<RecordedEvent, 'passedTo' | 'label'> {
  const last = rows.at(-1)
  if (!last) return {}
  const calls = rows.flatMap((row) => row.calls)
  const steps = rows.flatMap((row) => row.steps ?? [])
  const isDuring = (atMs = 0) => atMs >= t - CLOCKS_MS && atMs <= t + ms
  const times = [...steps.map((step) => step.t), ...calls.map(({ atMs = 0 }) => atMs)]
  const label = type === 'interaction' ? labelOf(calls, data?.['custom_id']) : undefined
  const continued: RecordedEvent = {
    // It may have ended for a later event.
    ...(times.every((atMs) => atMs <= t + ms) ? last : unended(last)),
    file: to.file,
    calls: calls.filter(({ atMs }) => isDuring(atMs)),
    steps: steps.filter((step) => step.kind !== 'received' && isDuring(step.t)),
  }
  return { passedTo: continued, ...(label !== undefined && { label }) }
}

function unended({ ms: _, error: __, at: ___, failure: ____, ...event }: RecordedEvent): RecordedEvent {
  return { ...event, result: 'unfinished' }
}

/** The label or emoji of a button, as one of these calls has posted it. */
function labelOf(calls: readonly RecordedCall[], custom_id: unknown): string | undefined {
  for (const { input } of calls.toReversed()) {
    const { components } = (input ?? {}) as MessageCreate
    for (const row of Array.isArray(components) ? components : [])
      for (const button of row.components)
        if (typeof custom_id === 'string' && button.custom_id === custom_id) return button.label ?? button.emoji
  }
  return undefined
}
