import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answersOf, History, type RecordedEvent } from '@botwright/framework/replay'
import { BotwrightError } from '@botwright/protocol/facts'
import { chooseHistory } from '../history/choose-history.ts'
import type { Action } from './actions.ts'

/** The result of an action: the bot answered, did nothing, or its handler failed. */
export type Outcome = 'answered' | 'nothing' | 'failed'

const LOOK_MS = 50
/** A handler that made calls and then none for so long waits for a person: `ctx.ask`. */
const QUIET_MS = 1000

/** `framework dev` records each event with its result, which is how the end of a handler is known. */
export function openHistory(folder: string): History {
  try {
    return new History(chooseHistory(join(folder, '.botwright'), 'dev', () => {}))
  } catch (error) {
    throw new BotwrightError(
      'ERR_CONFIG',
      'no recording of "framework dev" was found in this folder: run this command in the folder of the bot, while framework dev runs',
      { cause: error },
    )
  }
}

/** An event whose handler has not ended: it may wait for an answer. */
export interface Waiting {
  seq: number
  calls: number
}

export const waitingIn = (history: History): Waiting[] =>
  history
    .events({ limit: 100 })
    .filter(({ result }) => result === 'unfinished')
    .map(({ seq, calls }) => ({ seq, calls: calls.length }))

/**
 * The event of an action when its handler has ended, or as it is at the end of the wait. If another handler waited for this answer, its
 * event with its calls since then.
 */
export async function fateOf(
  history: History,
  action: Action,
  { since, waiting, waitMs }: { since: number; waiting: readonly Waiting[]; waitMs: number },
): Promise<RecordedEvent | undefined> {
  const endMs = performance.now() + waitMs
  let found: RecordedEvent | undefined
  let calls = 0
  let quietSinceMs = performance.now()
  for (;;) {
    found = history.events(found ? { seqs: [found.seq] } : { afterSeq: since }).find(action.isEvent) ?? found
    const nowMs = performance.now()
    const isQuiet = nowMs - quietSinceMs > QUIET_MS
    if (found?.result === 'none' && waiting.length > 0) {
      const continued = continuedOf(history, waiting)
      if (continued) return continued
      if (isQuiet) return found
    } else if (found && found.result !== 'unfinished') return found
    if (found && found.calls.length > calls) {
      calls = found.calls.length
      quietSinceMs = nowMs
    }
    if (nowMs > endMs || (calls > 0 && isQuiet)) return found
    await sleep(LOOK_MS)
  }
}

/** The event of the handler that went on, with its new calls. */
function continuedOf(history: History, waiting: readonly Waiting[]): RecordedEvent | undefined {
  for (const event of history.events({ seqs: waiting.map(({ seq }) => seq) })) {
    const before = waiting.find(({ seq }) => seq === event.seq)!
    if (event.result === 'unfinished' && event.calls.length === before.calls) continue
    return { ...event, calls: event.calls.slice(before.calls) }
  }
  return undefined
}

export function outcomeOf(event: RecordedEvent | undefined): Outcome {
  if (!event) return 'nothing'
  if (['error', 'timed_out', 'crashed', 'dead_lettered'].includes(event.result)) return 'failed'
  return answersOf(event.calls).some(({ code }) => code === undefined) ? 'answered' : 'nothing'
}
