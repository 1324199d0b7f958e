import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseHistory, History, type HistoryQuery, type RecordedEvent } from '@botwright/framework/replay'
import type { Action } from './actions.ts'

const LOOK_MS = 50
/** A handler that made calls and then none for so long waits for a person: `ctx.ask`. */
const QUIET_MS = 1000

/** The recording of `framework dev` in a folder: how the end of a handler is known. There is none before the bot has first run. */
export class Recording implements Disposable {
  readonly #folder: string
  #history: History | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  get lastSeq(): number {
    return this.#opened?.lastSeq ?? 0
  }

  events(query: HistoryQuery): RecordedEvent[] {
    return this.#opened?.events(query) ?? []
  }

  get #opened(): History | undefined {
    if (this.#history) return this.#history
    const file = chooseHistory(join(this.#folder, '.botwright'), 'dev', () => {})
    return (this.#history = existsSync(file) ? new History(file) : undefined)
  }

  [Symbol.dispose](): void {
    this.#history?.close()
  }
}

/** An event whose handler has not ended: it may wait for an answer. */
interface Waiting {
  seq: number
  calls: number
}

/** The recording before an action. */
export interface Before {
  since: number
  waiting: readonly Waiting[]
}

export const recordedBefore = (history: Recording): Before => ({ since: history.lastSeq, waiting: waitingIn(history) })

const waitingIn = (history: Recording): Waiting[] =>
  history
    .events({ limit: 100 })
    .filter(({ result }) => result === 'unfinished')
    .map(({ seq, calls }) => ({ seq, calls: calls.length }))

/**
 * The event of an action when its handler has ended, or as it is at the end of the wait. If another handler waited for this answer, its
 * event with its calls since then.
 */
export async function fateOf(
  history: Recording,
  action: Action,
  { since, waiting, waitMs, isDown }: Before & { waitMs: number; isDown: () => Promise<boolean> },
): Promise<RecordedEvent | undefined> {
  const endMs = performance.now() + waitMs
  let found: RecordedEvent | undefined
  let calls = 0
  let quietSinceMs = performance.now()
  let lookAtBotMs = quietSinceMs + QUIET_MS
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
    if (!found && nowMs > lookAtBotMs) {
      if (await isDown()) return undefined
      lookAtBotMs = nowMs + QUIET_MS
    }
    await sleep(LOOK_MS)
  }
}

/** The event of the handler that went on, with its new calls. */
function continuedOf(history: Recording, waiting: readonly Waiting[]): RecordedEvent | undefined {
  for (const event of history.events({ seqs: waiting.map(({ seq }) => seq) })) {
    const before = waiting.find(({ seq }) => seq === event.seq)!
    if (event.result === 'unfinished' && event.calls.length === before.calls) continue
    return { ...event, calls: event.calls.slice(before.calls) }
  }
  return undefined
}
