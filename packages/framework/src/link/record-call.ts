import type { Clock } from '@botwright/clock'

/** One call that was made for an event, with what came of it. */
export interface MadeCall {
  /** Undefined outside of handlers: such calls are not kept. */
  eventId: number | undefined
  name: string
  input: unknown
  ms: number
  value?: unknown
  error?: unknown
}

/** What the dispatchers know of a recorder. */
export interface CallRecorder {
  called(call: MadeCall): void
}

/** Tells the recorder, where there is one, what becomes of a call. The answer is passed on as it is. */
export function recordCall<T>(
  recorder: CallRecorder | undefined,
  made: Pick<MadeCall, 'eventId' | 'name' | 'input'>,
  answer: Promise<T>,
  clock: Clock,
): Promise<T> {
  if (!recorder || made.eventId === undefined) return answer
  const startedMs = clock.monotonic()
  const ms = () => clock.monotonic() - startedMs
  return answer.then(
    (value) => {
      recorder.called({ ...made, ms: ms(), value })
      return value
    },
    (error: unknown) => {
      recorder.called({ ...made, ms: ms(), error })
      throw error
    },
  )
}
