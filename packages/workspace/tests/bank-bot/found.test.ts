import { fileURLToPath } from 'node:url'
import { faultKinds, runSimulation } from '@botwright/dev/compile'
import { playCase } from '@botwright/testing/simulation'
import { expect, test } from 'vitest'

const folder = new URL('.', import.meta.url)

const request = {
  root: fileURLToPath(folder).slice(0, -1),
  first: 1,
  minutes: 30,
  env: {},
}

test('a few plays find the planted fault, and its play shows it again', { tags: 'all/seeds' }, async () => {
  const { findings } = await runSimulation({ ...request, seeds: 8, faults: faultKinds })
  const [found] = findings.filter(({ kind }) => kind === 'invariant')
  expect(found).toMatchObject({
    file: 'commands/pay.ts',
    severity: 'fault',
    text: expect.stringContaining('coins are neither made nor lost') as string,
  })
  // The line of the write that was the last one before the crash.
  expect([12, 13]).toContain(found?.line)
  expect(found?.steps.join('\n')).toContain('the process is killed')
  expect(await playCase(folder, found?.play as object)).toEqual([expect.stringMatching(/^commands\/pay\.ts:1[23]: /)])
})

test('clocks that jump break no invariant that allows for them', { tags: 'all/seeds' }, async () => {
  expect((await runSimulation({ ...request, seeds: 16, faults: ['clock'] })).findings).toEqual([])
})
