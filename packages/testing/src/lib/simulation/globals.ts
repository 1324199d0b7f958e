// The clock, the timers and the random numbers of Node, which the code of bots and of packages uses directly, are those of the simulation while it runs.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Clock, Timer } from '@botwright/clock'
import type { SeededRandom } from '@botwright/clock/simulated'
import { real } from './real.ts'
import type { SimWorld } from './sim-world.ts'

const realCrypto = { randomUUID: crypto.randomUUID, randomBytes: crypto.randomBytes }

/** A timer as Node returns it. */
class SimTimeout {
  timer: Timer | undefined
  ref() {
    return this
  }
  unref() {
    return this
  }
  hasRef() {
    return true
  }
  refresh() {
    return this
  }
  close() {
    this.timer?.cancel()
    return this
  }
  [Symbol.dispose]() {
    this.timer?.cancel()
  }
}

/** Replaces the globals of Node until the result is called. `clock`: the one of the process that runs at the moment. */
export function installGlobals(world: SimWorld, clock: () => Clock, random: SeededRandom): () => void {
  const { performance } = globalThis
  const later = (fire: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) => {
    const timeout = new SimTimeout()
    timeout.timer = clock().after(Math.max(1, Number(ms) || 1), () => fire(...args))
    return timeout
  }
  const again = (fire: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) => {
    const timeout = new SimTimeout()
    const own = clock()
    const arm = (): void => {
      timeout.timer = own.after(Math.max(1, Number(ms) || 1), () => (arm(), fire(...args)))
    }
    arm()
    return timeout
  }
  const cancel = (timeout?: SimTimeout) => timeout?.timer?.cancel()
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => random.int(256)))
  const uuid = () => {
    const hex = bytes(16).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  class SimDate extends real.Date {
    constructor(...given: []) {
      if (given.length === 0) super(clock().now())
      else super(...given)
    }
    static override now(): number {
      return clock().now()
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return Function.prototype[Symbol.hasInstance].call(real.Date, value)
    }
  }
  // As a function, it returns the time as a text.
  const CallableDate: unknown = new Proxy(SimDate, { apply: () => new real.Date(clock().now()).toString() })
  Object.assign(SimDate.prototype, { constructor: CallableDate })
  const mathRandom = Math.random
  Object.assign(globalThis, {
    setTimeout: later,
    clearTimeout: cancel,
    setInterval: again,
    clearInterval: cancel,
    setImmediate: (work: (...args: unknown[]) => void, ...args: unknown[]) => world.soon(() => work(...args)),
    clearImmediate: (one?: { isOver: boolean }) => void (one && (one.isOver = true)),
    Date: CallableDate,
  })
  Math.random = () => random.next()
  // An own property hides the method of its prototype.
  Object.defineProperty(performance, 'now', { value: () => clock().monotonic(), configurable: true })
  Object.assign(crypto, { randomUUID: uuid, randomBytes: bytes })
  syncBuiltinESMExports()
  return () => {
    Object.assign(globalThis, real)
    Math.random = mathRandom
    Reflect.deleteProperty(performance, 'now')
    Object.assign(crypto, realCrypto)
    syncBuiltinESMExports()
  }
}
