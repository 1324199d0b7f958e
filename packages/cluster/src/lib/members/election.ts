import type { Clock } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { isAnswer } from '../redis/connect.ts'
import type { Lease } from './lease.ts'
import { wait } from '../redis/wait.ts'

export interface ElectionOptions {
  lease: Lease
  clock: Clock
  /** From 0 to below 1. */
  random: () => number
  /** Redis refuses the lease. */
  refused(error: unknown): void
  /** Whether this instance may lead now. */
  eligible(): boolean
  elected(number: number): void
  /** The term is over. */
  deposed(): void
}

export const LEADER_LEASE_MS = 2000
export const LEADER_MARGIN_MS = 250
const RENEW_MS = 500
const TICK_MS = 250
const RETRY_MS = 50
/** A candidate looks at least so often at a lease that another instance has. */
const LOOK_MS = 1000

/** Stands for election until it is stopped, and keeps the lease while it leads. */
export class Election {
  readonly #o: ElectionOptions
  #stop: (() => void) | undefined
  #leads = false
  #stands = false
  #sentAtMs = 0
  #taking = false
  /** Until then another instance has the lease for certain, unless it resigns. */
  #tryAtMs = -Infinity

  constructor(options: ElectionOptions) {
    this.#o = options
  }

  get leads(): boolean {
    return this.#leads
  }

  stand(): void {
    if (this.#stands) return
    this.#stands = true
    this.#tick(0)
  }

  /** The lease may be free: tries at once. */
  nudge(): void {
    if (this.#stands && !this.#leads) void this.#try()
  }

  /** See `Term.check`. */
  check(): void | Promise<boolean> {
    if (this.#leads && this.#o.lease.sure) return
    return this.#findOut()
  }

  /** A Redis that does not answer for a moment ends no term: the lease's end does. */
  async #findOut(): Promise<boolean> {
    while (this.#leads) {
      if (await this.#renew()) return true
      if (this.#o.lease.over) this.#depose()
      else await wait(this.#o.clock, RETRY_MS)
    }
    return false
  }

  /** Gives the lease back. `withdraw`: stands no more. */
  async resign({ withdraw }: { withdraw: boolean }): Promise<void> {
    if (withdraw) {
      this.#stands = false
      this.#stop?.()
    }
    if (!this.#leads) return
    this.#depose()
    await bestEffort(this.#o.lease.release())
  }

  /** The term is over, for whatever reason. */
  #depose(): void {
    if (!this.#leads) return
    this.#leads = false
    this.#o.deposed()
  }

  /** For an instance that lost its own lease: it leaves the other one to end by itself. */
  drop(): void {
    this.#depose()
  }

  #tick(ms: number): void {
    const timer = this.#o.clock.after(ms, () => {
      if (!this.#stands) return
      this.#tick(TICK_MS * (0.8 + 0.4 * this.#o.random()))
      if (!this.#leads) {
        if (this.#o.clock.monotonic() >= this.#tryAtMs) void this.#try()
      } else if (this.#o.lease.over) this.#depose()
      else if (this.#o.clock.monotonic() - this.#sentAtMs >= RENEW_MS - TICK_MS / 2) void this.#renew()
    })
    this.#stop = () => timer.cancel()
  }

  async #try(): Promise<void> {
    if (this.#taking || !this.#o.eligible()) return
    this.#taking = true
    try {
      this.#sentAtMs = this.#o.clock.monotonic()
      const number = await this.#o.lease.take()
      if (number === undefined) {
        this.#tryAtMs = this.#o.clock.monotonic() + Math.min(this.#o.lease.takenForMs, LOOK_MS)
        return
      }
      if (!this.#stands || !this.#o.eligible()) return await this.#o.lease.release()
      this.#leads = true
      this.#o.elected(number)
    } catch (error) {
      // The next turn comes soon.
      if (isAnswer(error)) this.#o.refused(error)
    } finally {
      this.#taking = false
    }
  }

  async #renew(): Promise<boolean> {
    if (!this.#leads) return false
    this.#sentAtMs = this.#o.clock.monotonic()
    try {
      const holds = await this.#o.lease.renew()
      if (!holds) this.#depose()
      return holds && this.#leads
    } catch {
      // Its clock decides how long it may still hope.
      return false
    }
  }
}
