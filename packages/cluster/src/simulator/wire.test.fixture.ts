import type { World } from './world.test.fixture.ts'

/** A process of the simulation: it can crash, freeze, and be cut off from Redis. */
export class Process {
  readonly world: World
  readonly name: string
  alive = true
  isCut = false
  #frozenUntilMs = 0
  #held: (() => void)[] = []

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
  }

  crash(): void {
    this.alive = false
    this.world.disturbed(`${this.name} crashes`)
  }

  freeze(ms: number): void {
    const { world } = this
    this.#frozenUntilMs = world.nowMs + ms
    world.disturbed(`${this.name} freezes for ${ms} ms`)
    world.after(ms, () => {
      if (this.#frozenUntilMs > world.nowMs) return
      for (const work of this.#held.splice(0)) this.enter(work)
    })
  }

  /** Runs work of this process: at once, when it thaws, or never. */
  enter(work: () => void): void {
    if (!this.alive) return
    if (this.#frozenUntilMs > this.world.nowMs) this.#held.push(work)
    else work()
  }

  after(ms: number, work: () => void): void {
    this.world.after(ms, () => this.enter(work))
  }
}

/** A connection that does not respond for so long is given up, and another one is opened. */
const GIVE_UP_MS = 1000

/**
 * The connection of a process to Redis: commands arrive in their order, some late; some replies are lost. Commands of a connection that
 * was given up may still arrive, after those of the next connection.
 */
export class Wire {
  readonly #process: Process
  #lastArrivalMs = 0

  constructor(process: Process) {
    this.#process = process
  }

  /** Sends a command. `done` gets its reply, or undefined if the connection broke: it may have been executed, or may be later. */
  call<T>(command: () => T, done: (reply: T | undefined) => void): void {
    const process = this.#process
    const { world } = process
    let delayMs = 1 + world.int(8)
    if (!world.graceful && world.chance(0.02)) {
      delayMs = 200 + world.int(4000)
      world.disturbed(`a packet of ${process.name} is delayed for ${delayMs} ms`)
    }
    const arrivesAtMs = (this.#lastArrivalMs = Math.max(this.#lastArrivalMs, world.nowMs + delayMs))
    const fails = !world.graceful && world.chance(0.01)
    const executed = !fails || world.chance(0.5)
    let isOver = false
    const finish = (reply: T | undefined) => {
      if (isOver) return
      isOver = true
      done(reply)
    }
    world.at(arrivesAtMs, () => {
      const reachable = world.redisUp && !process.isCut
      const reply = reachable && executed ? command() : undefined
      process.after(1 + world.int(8), () => finish(reachable && !fails ? reply : undefined))
    })
    if (arrivesAtMs - world.nowMs > GIVE_UP_MS)
      process.after(GIVE_UP_MS, () => {
        if (isOver) return
        this.#lastArrivalMs = 0
        finish(undefined)
      })
  }
}

/** A process with a lease, as its leader and its clicks see it. */
export abstract class Member extends Process {
  readonly wire = new Wire(this)
  readonly sinceMs: number = this.world.nowMs
  leaving = false
  /** By its own clock, it holds its lease for certain. */
  abstract get sure(): boolean
}
