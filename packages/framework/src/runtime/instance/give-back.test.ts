import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { giveBack } from './give-back.ts'

test('what was taken is given back, the last first, whatever fails, and once', async () => {
  const given: string[] = []
  const told: unknown[] = []
  const log = { error: (facts: unknown) => told.push(facts) } as unknown as Log
  const full = new Error('disk full')
  const held = [
    () => void given.push('lock'),
    () => Promise.reject(full),
    () => {
      given.push('client')
      throw full
    },
    async () => void given.push('recorder'),
  ]
  await giveBack(held, log)
  await giveBack(held, log)
  expect(given).toEqual(['recorder', 'client', 'lock'])
  expect(told).toEqual([{ err: full }, { err: full }])
})
