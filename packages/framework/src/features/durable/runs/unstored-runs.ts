import type { Clock } from '@botwright/clock'
import { eventKey } from '@botwright/events/event'
import { wholeMessage } from '../../../link/errors/whole-error.ts'
import type { Log } from '../../../author/ports.ts'
import type { Waiting } from '../../../bot/conversation/waiting.ts'
import type { LiveRun } from './live-run.ts'

/** After this time, a run that could not be read or stored is continued from its record. */
const RETRY_MS = 30_000

/** The runs of which the store does not have the newest state. */
export class UnstoredRuns {
  readonly #clock: Clock
  readonly #log: Log
  readonly #waiting: Waiting
  readonly #ids = new Set<string>()

  constructor({ clock, log, waiting }: { clock: Clock; log: Log; waiting: Waiting }) {
    this.#clock = clock
    this.#log = log
    this.#waiting = waiting
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  stored(id: string): void {
    this.#ids.delete(id)
  }

  failed({ id, file }: Pick<LiveRun, 'id' | 'file'>, error: unknown): void {
    this.#ids.add(id)
    if (!this.#waiting.closed)
      this.#log.error({ run: id, file, error }, `${file}: run ${id} stopped: ${wholeMessage(error)}`)
  }

  notCleared({ id, file }: Pick<LiveRun, 'id' | 'file'>, error: unknown): void {
    if (!this.#waiting.closed)
      this.#log.error(
        { run: id, file, error },
        `${file}: the rows of run ${id}, which has ended, cannot be deleted (${wholeMessage(error)}); trying again`,
      )
  }

  unreadable(id: string, error: unknown): void {
    this.#log.error({ run: id, error }, `run ${id} cannot be read (${wholeMessage(error)}); trying again`)
  }

  /**
   * Begins a run until `begin` resolves with true: an event whose run cannot be read or stored must not count as handled. `again`: an attempt
   * before has begun it. Never settles if the bot stops before that.
   */
  async untilStored(id: string, begin: (again: boolean) => Promise<boolean>): Promise<void> {
    for (let again = false; ;) {
      try {
        if (await begin(again)) return
        again = true
      } catch (error) {
        if (this.#waiting.closed) return new Promise(() => {})
        this.unreadable(id, error)
      }
      await this.later()
    }
  }

  /** Continues a run later, unless the bot stops. Until then, the code of the run stays, also if it is replaced. */
  tryAgain({ id, event }: Pick<LiveRun, 'id' | 'event'>, reach: () => Promise<unknown>): void {
    const attempt = {}
    this.#waiting.talks(eventKey(event), attempt, true)
    const reached = async () => {
      await this.later()
      if (this.#waiting.closed) return
      await reach().catch((error: unknown) => {
        this.unreadable(id, error)
        this.tryAgain({ id, event }, reach)
      })
      this.#waiting.talks(eventKey(event), attempt, false)
    }
    void reached()
  }

  /** Resolves when it is time to try again. */
  later(): Promise<void> {
    return new Promise((resolve) => this.#clock.after(RETRY_MS, resolve))
  }
}
