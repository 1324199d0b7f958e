import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { orAborted } from './timers.ts'

test('settles as the work does, unless a signal aborts before, and leaves no listener', async () => {
  const { signal } = new AbortController()
  expect(await orAborted(Promise.resolve(7), undefined, signal)).toBe(7)
  await expect(orAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
  const stop = new AbortController()
  const stopped = orAborted(new Promise(() => {}), signal, stop.signal)
  stop.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await expect(orAborted(Promise.resolve(7), stop.signal)).rejects.toThrow('enough')
  for (const one of [signal, stop.signal]) expect(getEventListeners(one, 'abort')).toEqual([])
})
