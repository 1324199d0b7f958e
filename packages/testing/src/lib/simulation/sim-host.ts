import type { Clock, Timer } from '@botwright/clock'
import type { SimWorld } from './sim-world.ts'

/** The clock of the service: simulated time as it is. */
export const serviceClock = (world: SimWorld): Clock => ({
  now: () => Math.floor(world.startMs + world.nowMs),
  monotonic: () => world.nowMs,
  after: (ms, fire) => world.timeline.after(Math.max(0, ms), fire),
})

/** The computer of the bot. Its processes share a wall clock, which may be wrong. */
export class SimHost {
  readonly world: SimWorld
  /** How far the wall clock is ahead of the service's time. */
  skewMs = 0
  /** How long it was suspended so far. */
  suspendedMs = 0
  /** Suspended until then. */
  #awakeAtMs = 0

  constructor(world: SimWorld) {
    this.world = world
  }

  get awakeAtMs(): number {
    return this.#awakeAtMs
  }

  /** Suspends the computer: nothing of it runs, and its monotonic clock is stopped. */
  suspend(ms: number): void {
    const fromMs = Math.max(this.#awakeAtMs, this.world.nowMs)
    this.#awakeAtMs = Math.max(fromMs, this.world.nowMs + ms)
    this.suspendedMs += this.#awakeAtMs - fromMs
  }
}

/** One process on the host: it can end at any moment, and nothing of it has an effect then. */
export class SimProcess implements Clock {
  readonly host: SimHost
  readonly number: number
  alive = true
  /** The number of timers that are set. */
  timers = 0
  /** Called when it is killed. */
  readonly onKill = new Set<() => void>()

  constructor(host: SimHost, number: number) {
    this.host = host
    this.number = number
  }

  now(): number {
    const { world, skewMs } = this.host
    return Math.floor(world.startMs + world.nowMs + skewMs)
  }

  monotonic(): number {
    const { world, suspendedMs, awakeAtMs } = this.host
    return world.nowMs - suspendedMs + Math.max(0, awakeAtMs - world.nowMs)
  }

  after(ms: number, fire: () => void): Timer {
    if (!this.alive || ms === Infinity) return { cancel: () => {} }
    const { timeline } = this.host.world
    const dueMs = this.monotonic() + Math.max(0, ms)
    let isSet = true
    this.timers++
    const end = () => {
      if (isSet) this.timers--
      isSet = false
    }
    let timer: Timer
    const arm = (): void => {
      timer = timeline.after(Math.max(dueMs - this.monotonic(), this.host.awakeAtMs - timeline.nowMs, 0), () => {
        if (!this.alive) return end()
        // The computer was suspended meanwhile.
        if (this.host.awakeAtMs > timeline.nowMs || dueMs - this.monotonic() > 0.001) return arm()
        end()
        fire()
      })
    }
    arm()
    return {
      cancel: () => {
        end()
        timer.cancel()
      },
    }
  }

  /** It ends at once. */
  kill(): void {
    if (!this.alive) return
    this.alive = false
    for (const end of this.onKill) end()
    this.onKill.clear()
  }
}
