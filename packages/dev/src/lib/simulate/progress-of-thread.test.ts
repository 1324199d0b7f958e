import { expect, test } from 'vitest'
import { ProgressOfThread, type StuckReason } from './progress-of-thread.ts'

/** Looks again and again, and returns the first reason with the number of looks. */
function watch(
  looks: number,
  { cpuMs, turns = 0, messages = 0 }: { cpuMs: number; turns?: number; messages?: number },
): [StuckReason, number] | undefined {
  const progress = new ProgressOfThread()
  for (let i = 0; i < looks; i++) {
    const reason = progress.look({ turns: i * turns, messages: i * messages, cpuMs: i * cpuMs })
    if (reason) return [reason, i]
  }
  return undefined
}

test('a thread that computes without a turn of its event loop blocks', () => {
  expect(watch(1000, { cpuMs: 500 })).toEqual(['blocks', 21])
})

test('a busy computer does not make a thread stuck: 45 seconds without a turn', () => {
  expect(watch(90, { cpuMs: 50 })).toBeUndefined()
  expect(watch(300, { cpuMs: 1 })).toBeUndefined()
  expect(watch(1600, { cpuMs: 6 })).toBeUndefined()
})

test('a thread that waits outside of the simulation does not use the processor', () => {
  expect(watch(1000, { cpuMs: 0.5 })).toEqual(['waits', 360])
})

test('a long play goes on, and one without an end is given up', () => {
  expect(watch(480, { cpuMs: 500, turns: 5 })).toBeUndefined()
  expect(watch(1000, { cpuMs: 500, turns: 5 })).toEqual(['long', 481])
  expect(watch(10_000, { cpuMs: 500, turns: 5, messages: 1 })).toBeUndefined()
})
