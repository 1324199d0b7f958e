import { type BotEvent, eventKey } from '@botwright/events/event'
import { handledEvent, wakeOf } from '../../link/run-event.ts'
import { deadLetteredOutcome, type DispatcherOptions } from './dispatcher.ts'
import { toPlainError } from '../../link/errors/plain-error.ts'
import { wholeMessage } from '../../link/errors/whole-error.ts'
import { heapOf } from './worker-heap.ts'
import type { OpenRun, WorkerEnd, WorkerThread } from './worker-thread.ts'

/** The runs of a worker that died, by what happens to them next. */
export interface Fault {
  end: WorkerEnd
  /** The run that crashed or blocked the worker, if it can be determined. */
  blamed: OpenRun | undefined
  /** Run again at once. */
  again: OpenRun[]
  /** Run again one after the other, because one of them was the cause. */
  suspects: OpenRun[]
  /** Not run again: its last attempt failed. */
  givenUp: OpenRun[]
}

/** The number of attempts for an event whose handler crashes or blocks its worker. */
const ATTEMPTS = 3

/**
 * Determines the cause. A handler that occupies the thread is known by its event id. After an `await` it is not: then the cause is the
 * only open run, or the only suspect of an earlier death. Otherwise all open runs are suspects.
 */
export function sortFault(open: readonly OpenRun[], end: WorkerEnd): Fault {
  const suspects = open.filter((run) => run.suspect)
  const blamed =
    open.find((run) => eventKey(run.delivery.event) === end.current) ?? onlyOneOf(open) ?? onlyOneOf(suspects)
  const fault: Fault = { end, blamed, again: [], suspects: [], givenUp: [] }
  for (const run of open) {
    if (run === blamed || !blamed) run.faults++
    if (run === blamed && run.faults >= ATTEMPTS) {
      fault.givenUp.push(run)
      continue
    }
    run.delivery = { ...run.delivery, attempt: run.delivery.attempt + 1 }
    run.suspect = blamed ? run === blamed : true
    if (run.suspect) fault.suspects.push(run)
    else fault.again.push(run)
  }
  return fault
}

const onlyOneOf = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined)

/** Logs the fault with the file of the handler, which a new worker looks up. */
export async function reportFault(
  fault: Fault,
  thread: WorkerThread,
  { log, observer, replayCommand = 'framework replay' }: Pick<DispatcherOptions, 'log' | 'observer' | 'replayCommand'>,
): Promise<void> {
  const { end, blamed, again, suspects, givenUp } = fault
  // Sent before anything else runs in the thread and may end it. Before the last attempt, the next one may still reply.
  for (const { delivery } of givenUp) thread.apologize(delivery, end.how === 'blocked' ? 'took_too_long' : 'failed')
  const causes = blamed ? [blamed] : suspects
  const handling = (await thread.files(causes.map((run) => run.delivery))) ?? []
  const files = [...new Set(handling.filter((file) => file !== undefined))]
  // The line of an uncaught error, such as one in a timer, may be in another file than the handler that runs.
  const who = end.at ?? (files.join(' or ') || 'the bot')
  const [last] = givenUp
  const next = last ? textOfEnd(last.delivery.event, replayCommand) : 'a new worker runs its unfinished events again'
  const what = howItEnded(end)
  causes.forEach(({ delivery }, i) => {
    const message = givenUp.length > 0 ? `${what}, ${ATTEMPTS} times` : what
    const dead = deadLetteredOutcome(handledEvent(delivery.event) ?? delivery.event, handling[i], message, end.at)
    const fault = end.outOfMemory ? { outOfMemory: true as const } : end.how === 'blocked' && { blocked: true as const }
    observer?.outcome?.({ ...dead, ...(givenUp.length === 0 && { result: 'crashed' }), ...fault })
  })
  log.error(
    {
      code: 'ERR_HANDLER',
      files,
      eventIds: causes.flatMap(({ delivery }) => handledEvent(delivery.event) ?? []).map(eventKey),
      runAgain: again.length + suspects.length,
      ...(end.error && { error: toPlainError(end.error) }),
    },
    `${who}: ${what}; ${next}`,
  )
}

/** The end of an event after its last attempt, and how to run it again. The scheduler reports the end of a run of a task. */
function textOfEnd(event: BotEvent, replayCommand: string): string {
  const own = handledEvent(event)
  const again = (what: string, command: string, id: number | string) =>
    `${what} after ${ATTEMPTS} attempts; ${command} ${id} runs it again once the cause is fixed`
  if (!own) return again(`run ${wakeOf(event).run} has failed`, 'framework runs retry', wakeOf(event).run)
  if (own.id > 0) return again(`event ${own.id} is set aside`, replayCommand, own.id)
  return `its run is over after ${ATTEMPTS} attempts`
}

export function howItEnded({ how, error, exitCode, outOfMemory }: WorkerEnd): string {
  const megabytes = Math.round(heapOf(0).limitBytes / 2 ** 20)
  if (outOfMemory) return `used up its memory (a heap of ${megabytes} MB): look for a list or a map that grows`
  if (how === 'blocked') return 'blocked its thread (a loop without await, or a slow synchronous call)'
  if (error) return `ended its thread with an uncaught error: ${wholeMessage(error)}`
  return `ended its thread with process.exit(${exitCode})`
}
