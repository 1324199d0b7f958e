import { eventKey } from '@botwright/events/event'
import type { Clock } from '@botwright/clock'
import type { Admits, ReceivedAnswer, Waiting } from '../../../bot/conversation/waiting.ts'
import { isSince } from '../../conversations/conversation.ts'
import type { RunHead, RunWait } from '../stored/run-store.ts'

/** The end of a wait: the value for its step, and the answer to settle. Settles when the run waits again or has ended. */
export type WaitEnd = (value: unknown, answer?: ReceivedAnswer) => Promise<unknown>

interface OpenWait {
  key?: string | undefined
  dueMs: number
  stop: () => void
  end: WaitEnd
}

/** The answers and times that the runs in memory wait for. */
export class OpenWaits {
  readonly #clock: Clock
  readonly #waiting: Waiting
  /** By run and step. */
  readonly #open = new Map<string, Map<number, OpenWait>>()

  constructor(clock: Clock, waiting: Waiting) {
    this.#clock = clock
    this.#waiting = waiting
  }

  /** Waits for an answer or a time, unless the run already does. */
  add({ id, file, event }: Pick<RunHead, 'id' | 'file' | 'event'>, wait: RunWait, end: WaitEnd, admits?: Admits): void {
    const { step, key, sinceMs, dueMs } = wait
    const by = { event: eventKey(event), file, run: id }
    const own = this.#open.get(id) ?? new Map<number, OpenWait>()
    if (own.has(step)) return
    this.#open.set(id, own)
    let over = false
    const finish: WaitEnd = async (value, answer) => {
      if (over || this.#waiting.closed) return answer?.settle()
      stop()
      return end(value, answer)
    }
    const heard = key === undefined ? undefined : this.#waiting.wait(key, { accepts: isSince(sinceMs), admits, by })
    void heard?.answer.then((answer) => {
      if (!answer) return finish('replaced')
      return finish({ delivery: { event: answer.delivery.event, attempt: 1 } }, answer)
    })
    const leftMs = () => Math.max(0, dueMs - this.#clock.now())
    // A timer of the system ends after 24.8 days at most.
    const due = () => {
      if (leftMs() > 0) timer = this.#clock.after(leftMs(), due)
      else this.#waiting.due(id, file, () => void this.expire(id))
    }
    let timer = this.#clock.after(leftMs(), due)
    const stop = () => {
      over = true
      own.delete(step)
      timer.cancel()
      heard?.stop()
    }
    own.set(step, { key, dueMs, stop, end: finish })
  }

  /** The keys of the answers that a run waits for. */
  keys(id: string): string[] {
    return [...(this.#open.get(id)?.values() ?? [])].flatMap(({ key }) => key ?? [])
  }

  /** Ends the waits of a run that are over. `replaced`: keys for which another run waits now. */
  async expire(id: string, replaced: readonly string[] = []): Promise<void> {
    const now = this.#clock.now()
    const own = [...(this.#open.get(id)?.values() ?? [])]
    const over = own.filter(({ key, dueMs }) => dueMs <= now || replaced.includes(key ?? ''))
    await Promise.all(
      over.map(({ key, dueMs, end }) => end(key === undefined ? null : dueMs <= now ? 'late' : 'replaced')),
    )
  }

  /** Stops all waits of a run, or one. */
  stop(id: string, step?: number): void {
    const own = this.#open.get(id)
    if (step !== undefined) return own?.get(step)?.stop()
    for (const { stop } of own?.values() ?? []) stop()
    this.#open.delete(id)
  }
}
