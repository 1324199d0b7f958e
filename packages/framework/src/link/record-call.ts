import type { Clock } from '@botwright/clock'

/** One call that was made for an event, with its result. */
export interface MadeCall {
  /** Undefined outside handlers: such calls are not recorded. */
  eventId: number | undefined
  name: string
  input: unknown
  ms: number
  value?: unknown
  error?: unknown
}

/** The part of the recorder that the dispatchers use. */
export interface CallRecorder {
  called(call: MadeCall): void
}

/** Reports the result of a call to the recorder, if there is one, and returns it unchanged. */
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
