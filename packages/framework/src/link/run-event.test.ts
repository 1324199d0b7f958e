import { expect, test, vi } from 'vitest'

/** The id of the first wake of a process. */
async function firstId(): Promise<number> {
  vi.resetModules()
  const { wakeDelivery } = await import('./run-event.ts')
  return wakeDelivery({ run: '7', file: 'commands/go.ts' }, { now: 0 }).event.id
}

test('the wakes of two processes have ids of their own, far above those of the service', async () => {
  const ids = [await firstId(), await firstId()]
  for (const id of ids) {
    expect(id).toBeGreaterThan(2 ** 52)
    expect(Number.isSafeInteger(id)).toBe(true)
  }
  // The ids of a process follow each other.
  expect(Math.abs(ids[0]! - ids[1]!)).toBeGreaterThan(1000)
})
