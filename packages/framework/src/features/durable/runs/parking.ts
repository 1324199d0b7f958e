import type { Clock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import type { Log, StateStore } from '../../../author/ports.ts'
import { ParkedStore } from '../stored/parked-store.ts'
import { type Parked, type RunHead, RunStore } from '../stored/run-store.ts'
import { headOf, type LiveRun } from './live-run.ts'

export interface ParkingOptions {
  clock: Clock
  log: Log
  store: StateStore
  /** See `BotSource`. */
  codeId?: string | undefined
}

/** Parks runs that only the code of other instances can continue, and keeps their answers. */
export class Parking {
  readonly #options: ParkingOptions
  readonly #parked: ParkedStore
  readonly #runs: RunStore
  /** Runs whose file is gone. A row may wake them again and again. */
  readonly #reported = new Set<string>()

  constructor(options: ParkingOptions) {
    this.#options = options
    this.#parked = new ParkedStore(options.store)
    this.#runs = new RunStore(options.store)
  }

  /** Whether a run that does not repeat its record waits for newer code from now on. `version`: of the handler here. */
  async parks(run: LiveRun, version = 1): Promise<boolean> {
    const { codeIds, version: recorded } = run.replay
    const codes = await this.#parked.codes()
    const sinceMs = Math.max(0, ...[...codeIds].map((one) => codes.get(one) ?? 0))
    const own = codes.get(this.#options.codeId ?? '') ?? Infinity
    if (recorded === version ? sinceMs <= own : recorded < version) return false
    const begun = () => headOf(run, { status: 'waiting', waits: [], changedMs: this.#options.clock.now() })
    return this.#park((await this.#runs.head(run.id)) ?? begun(), { codeIds: [...codeIds], sinceMs })
  }

  /** The code lacks the file of a run. */
  async lacks(head: RunHead): Promise<void> {
    const { id, file } = head
    if ((await this.#park(head, { codeIds: [], sinceMs: 0 })) || this.#reported.has(id)) return
    this.#reported.add(id)
    this.#options.log.warn({ run: id, file }, `${file} is gone: run ${id} waits until it exists again`)
  }

  /** Only instances of a cluster register their code. */
  async #park(head: RunHead, needs: Pick<Parked, 'codeIds' | 'sinceMs'>): Promise<boolean> {
    const { codeId: by = '', clock, log } = this.#options
    if (!(await this.#parked.codes()).has(by)) return false
    const parked = await this.#parked.park(head, { ...needs, by }, clock.now())
    if (!parked) return false
    const { id, file } = head
    const fact = `${file}: run ${id} waits for an instance with other code that can continue it`
    if (parked.isFirst) log.info({ run: id, file }, `${fact}, until ${new Date(parked.untilMs).toISOString()}`)
    return true
  }

  /** Keeps an answer if its run is parked. */
  async keeps(id: string, answer: BotEvent): Promise<boolean> {
    if (!(await this.#runs.head(id))?.parked) return false
    await this.#parked.keep(id, answer, this.#options.clock.now())
    return true
  }
}
