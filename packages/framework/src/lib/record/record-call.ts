import type { Clock } from '@botwright/clock'
import type { CallRecorder, MadeCall } from './recorder.ts'

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
