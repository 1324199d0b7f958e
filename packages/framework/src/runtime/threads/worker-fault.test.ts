import { expect, test } from 'vitest'
import { howItEnded } from './worker-fault.ts'
import { isOutOfMemory, type WorkerHeap } from './worker-heap.ts'
import type { WorkerEnd } from './worker-thread.ts'

const end = (facts: Partial<WorkerEnd>): WorkerEnd => ({
  ...{ how: 'exit', exitCode: 1, current: 0, conversations: [], outOfMemory: false },
  ...facts,
})
const heap = (facts: Partial<WorkerHeap>): WorkerHeap => ({ usedBytes: 50, rssBytes: 300, limitBytes: 1000, ...facts })

test('a thread without memory is not called blocked, although it answers no heartbeat', () => {
  const full = end({ how: 'blocked', outOfMemory: true })
  expect(howItEnded(full)).toMatch(/^used up its memory \(a heap of \d+ MB/)
  expect(howItEnded(end({ how: 'blocked' }))).toMatch(/^blocked its thread/)
})

test('a thread that Node.js ended for its memory has no uncaught error of its own', () => {
  const error = Object.assign(new Error('Worker terminated due to reaching memory limit: JS heap out of memory'), {
    code: 'ERR_WORKER_OUT_OF_MEMORY',
  })
  expect(isOutOfMemory(error, heap({}), 300)).toBe(true)
  expect(howItEnded(end({ error, outOfMemory: true }))).toMatch(/^used up its memory/)
})

test('a heap that has grown to its limit since the last heartbeat is full', () => {
  expect(isOutOfMemory(undefined, heap({}), 300)).toBe(false)
  expect(isOutOfMemory(undefined, heap({}), 1100)).toBe(true)
  expect(isOutOfMemory(undefined, heap({ usedBytes: 870 }), 300)).toBe(true)
})
