import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { Cleanup } from './cleanup.ts'

test('releases everything once, in reverse order, even if a release fails', async () => {
  const released: string[] = []
  const logged: unknown[] = []
  const cleanup = new Cleanup({ error: (facts: unknown) => logged.push(facts) } as unknown as Log)
  const full = new Error('disk full')
  cleanup.add(() => released.push('health'))
  cleanup.add(() => Promise.reject(full))
  cleanup.add(() => {
    released.push('client')
    throw full
  })
  cleanup.addLast(() => released.push('lock'))
  cleanup.add(async () => released.push('recorder'))
  await cleanup.run()
  await cleanup.run()
  expect(released).toEqual(['recorder', 'client', 'health', 'lock'])
  expect(logged).toEqual([{ err: full }, { err: full }])
})
