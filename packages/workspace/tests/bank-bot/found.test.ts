import { fileURLToPath } from 'node:url'
import { faultKinds, runSimulation } from '@botwright/dev/compile'
import { playCase } from '@botwright/testing/simulation'
import { expect, test } from 'vitest'

const folder = new URL('.', import.meta.url)

test('a few plays find the planted fault, and its play shows it again', { tags: 'all/seeds' }, async () => {
  const request = {
    root: fileURLToPath(folder).slice(0, -1),
    first: 1,
    seeds: 8,
    minutes: 30,
    faults: faultKinds,
    env: {},
  }
  const { findings } = await runSimulation(request)
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
