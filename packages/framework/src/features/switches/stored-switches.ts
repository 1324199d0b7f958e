import { type Clock, within } from '@botwright/clock'
import type { Log, StateStore } from '../../author/ports.ts'
import type { SwitchedOff } from '../../link/switched-off.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { Switches } from '../../runtime/ports/switches.ts'
import { offOf, readOff, SWITCHES_KEY } from './switch-store.ts'
import { offBy } from './switched-off.ts'

/** A change applies on every instance within this time. */
export const FRESH_MS = 1000
/** How long a store that does not respond may delay an event. */
const READ_MS = 500

export interface SwitchesHost {
  store: StateStore
  clock: Clock
  log: Log
  /** Whether other processes can write to the store. */
  isShared: boolean
}

/** The switches, read from the store before an event begins, but at most once a second. A bot without events reads them once. */
export class StoredSwitches implements Switches, Pick<Observer, 'ready'> {
  off: readonly SwitchedOff[] | undefined
  readonly #host: SwitchesHost
  #reading: Promise<void> | undefined
  /** How often it was read. */
  #reads = 0
  /** The newest read whose result counts; one of before is late. */
  #newest = 0
  #isUnreadable = false

  refreshed: (() => Promise<void>) | undefined

  constructor(host: SwitchesHost) {
    this.#host = host
    this.#mayBeOld()
  }

  #mayBeOld(): void {
    if (this.#host.isShared) this.refreshed = () => (this.#reading ??= this.#read())
  }

  /** The bot runs: the log shows what is off. */
  readonly ready = (): void => void this.refreshed?.()

  async isOff(name: string): Promise<boolean> {
    await this.refreshed?.()
    return this.off !== undefined && offBy(this.off, name, null) !== undefined
  }

  onStoreWrite(key: string, value: unknown): void {
    if (key !== SWITCHES_KEY) return
    // Reads that have begun are older.
    this.#newest = this.#reads
    this.#take(offOf(value))
  }

  /** Without the store, what was off stays off. A slow store delays no event further, but what it has still counts. */
  async #read(): Promise<void> {
    const { clock, log, store } = this.#host
    const beganMs = clock.monotonic()
    const read = ++this.#reads
    const reading = async () => {
      const off = await readOff(store)
      if (read <= this.#newest) return
      this.#newest = read
      this.#take(off)
    }
    try {
      await within(clock, READ_MS, reading)
      this.#isUnreadable = false
    } catch (error) {
      const text = `the switches cannot be read (${(error as Error).message}); trying again`
      if (!this.#isUnreadable) log.warn({ error }, text)
      this.#isUnreadable = true
    }
    this.#reading = undefined
    this.refreshed = undefined
    clock.after(Math.max(FRESH_MS - (clock.monotonic() - beganMs), 0), () => this.#mayBeOld())
  }

  #take(next: readonly SwitchedOff[]): void {
    const former = this.off ?? []
    this.off = next.length > 0 ? next : undefined
    if (former.length === 0 && next.length === 0) return
    const { log } = this.#host
    const [before, after] = [former, next].map((all) => new Map(all.map((one) => [keyOf(one), one])))
    for (const [key, { name, server, reason }] of after!)
      if (before!.get(key)?.reason !== reason || !before!.has(key))
        log.info({ name }, `${name} is switched off${placeOf(server)}${reason === undefined ? '' : `: ${reason}`}`)
    for (const [key, { name, server }] of before!)
      if (!after!.has(key)) log.info({ name }, `${name} is switched on${placeOf(server)}`)
  }
}

const keyOf = ({ name, server }: SwitchedOff): string => `${server?.id ?? ''} ${name}`
const placeOf = (server: SwitchedOff['server']): string => (server ? ` in ${server.name}` : '')
