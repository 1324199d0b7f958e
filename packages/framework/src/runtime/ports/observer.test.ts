import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { type Observer, observerOf } from './observer.ts'

const delivery = { event: { id: 1, type: 'message', data: {}, created_at: '' }, attempt: 1 }

test('has only the moments that an observer sees', () => {
  expect(observerOf([])).toEqual({})
  expect(Object.keys(observerOf([{ received() {} }, { outcome() {}, received() {} }]))).toEqual(['received', 'outcome'])
})

test('notifies all observers in their order', () => {
  const seen: unknown[] = []
  class Counting implements Observer {
    count = 0
    received(): void {
      seen.push(['counted', ++this.count])
    }
  }
  const observer = observerOf([
    new Counting(),
    { received: ({ event }) => void seen.push(['received', event.id]), settled: () => void seen.push(['settled']) },
  ])
  observer.received?.(delivery)
  observer.received?.(delivery)
  observer.settled?.(delivery)
  expect(seen).toEqual([['counted', 1], ['received', 1], ['counted', 2], ['received', 1], ['settled']])
})

test('ends what an event was passed to for all observers', () => {
  const ended: string[] = []
  const passing = (name: string): Observer => ({ passed: () => () => void ended.push(name) })
  observerOf([passing('a'), {}, passing('b')]).passed!(1, { event: 2, file: 'commands/go.ts' })()
  expect(ended).toEqual(['a', 'b'])
})

test('wraps the calls by all observers, the first outermost', async () => {
  const passed: string[] = []
  const wrapping = (name: string): Observer => ({
    calls: (call) => (endpoint, input, options) => (passed.push(name), call(endpoint, input, options)),
  })
  const call = (async () => void passed.push('sent')) as unknown as Call
  const { calls } = observerOf([wrapping('a'), {}, wrapping('b')])
  await calls!(call)('commands.list', {})
  expect(passed).toEqual(['a', 'b', 'sent'])
})
