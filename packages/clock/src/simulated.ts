// For simulations: everything random and everything timed comes from one seed.

import type { Timer } from './index.ts'

/** Random numbers from a seed: the same seed gives the same numbers. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0
  }

  /** From 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to below `end`. */
  int(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(share: number): boolean {
    return this.int(1_000_000) < share * 1_000_000
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!
  }

  /** Another source, which depends on this one and the name alone. */
  fork(name: string): SeededRandom {
    let hash = this.#state
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    return new SeededRandom(hash)
  }
}

interface Due {
  atMs: number
  order: number
  fire: () => void
  isOver: boolean
}

/** Work at points in time, in the order of these points, then of its creation. Nothing happens unless `step` is called. */
export class Timeline {
  nowMs = 0
  readonly #heap: Due[] = []
  #order = 0

  at(ms: number, fire: () => void): Timer {
    const due = { atMs: Math.max(ms, this.nowMs), order: this.#order++, fire, isOver: false }
    const heap = this.#heap
    let i = heap.push(due) - 1
    while (i > 0) {
      const up = (i - 1) >> 1
      if (!isBefore(due, heap[up]!)) break
      heap[i] = heap[up]!
      i = up
    }
    heap[i] = due
    return { cancel: () => void (due.isOver = true) }
  }

  after(ms: number, fire: () => void): Timer {
    return this.at(this.nowMs + ms, fire)
  }

  /** When the next work is due; undefined if there is none. */
  get nextMs(): number | undefined {
    while (this.#heap[0]?.isOver) this.#pop()
    return this.#heap[0]?.atMs
  }

  /** Moves on to the next work and does it. */
  step(): void {
    if (this.nextMs === undefined) return
    const { atMs, fire } = this.#pop()
    this.nowMs = Math.max(this.nowMs, atMs)
    fire()
  }

  #pop(): Due {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    first.isOver = true
    if (heap.length > 0) {
      let i = 0
      for (;;) {
        let child = 2 * i + 1
        if (child >= heap.length) break
        if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
        if (!isBefore(heap[child]!, last)) break
        heap[i] = heap[child]!
        i = child
      }
      heap[i] = last
    }
    return first
  }
}

const isBefore = (a: Due, b: Due): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
