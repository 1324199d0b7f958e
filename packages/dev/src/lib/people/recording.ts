import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseHistory, History, type HistoryQuery, type RecordedEvent, timelineOf } from '@botwright/framework/replay'
import type { MissedQuestion, TimelineStep } from '@botwright/protocol/timeline'
import type { Action } from './actions.ts'

const LOOK_MS = 50
/** A handler that waits for a person or a time, and has made no call for so long, has done all that it does for now. */
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

  /** See `History.withMissedQuestion`. */
  withMissedQuestion(event: RecordedEvent): RecordedEvent {
    return this.#opened?.withMissedQuestion(event) ?? event
  }

  /** See `History.missedChoice`. */
  missedChoice(button: { channelId: string; label: string }): MissedQuestion | undefined {
    return this.#opened?.missedChoice(button)
  }

  /** See `History.heldUntil`. */
  heldUntil(button: { channelId: string; label: string }): string | undefined {
    return this.#opened?.heldUntil(button)
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

/**
 * The event of an action when its handler has ended, waits again or, at the end of the wait, as it is. If it was passed to a handler that
 * waited for it, the event of that handler, with its calls since then. `since`: the number of the last event before the action.
 */
export async function eventOfAction(
  history: Recording,
  action: Action,
  { since, waitMs, isDown }: { since: number; waitMs: number; isDown: () => Promise<boolean> },
): Promise<RecordedEvent | undefined> {
  const endMs = performance.now() + waitMs
  let found: RecordedEvent | undefined
  let calls = 0
  let quietSinceMs = performance.now()
  let lookAtBotMs = quietSinceMs + QUIET_MS
  for (;;) {
    found = history.events(found ? { seqs: [found.seq] } : { afterSeq: since }).find(action.isEvent) ?? found
    if (found && found.result !== 'unfinished') return found.passedTo ?? found
    const nowMs = performance.now()
    if (found && found.calls.length > calls) {
      calls = found.calls.length
      quietSinceMs = nowMs
    }
    const waits = found && nowMs - quietSinceMs > QUIET_MS && openWaits(found).length > 0
    if (nowMs > endMs || waits) return found?.passedTo ?? found
    if (!found && nowMs > lookAtBotMs) {
      if (await isDown()) return undefined
      lookAtBotMs = nowMs + QUIET_MS
    }
    await sleep(LOOK_MS)
  }
}

/** The waits of an event's handler that have not ended. */
export const openWaits = (event: RecordedEvent): OpenWait[] =>
  timelineOf(event).steps.filter((step): step is OpenWait => step.kind === 'wait' && step.ms === undefined)

type OpenWait = Extract<TimelineStep, { kind: 'wait' }>
