import { BotwrightError } from '@botwright/protocol'
import { expect, test } from 'vitest'
import { problemsOf } from './load-problem.ts'

test('each invalid file is a problem of its own, however its text begins', async () => {
  const lines = [
    'buttons/d.ts: spill has no effect without params; remove spill',
    'commands/m.ts has no run: give it the function to run',
    'commands/h.ts cannot be loaded: at load',
    'commands/a.ts and commands/(x)/a.ts both define /a; rename one',
  ]
  expect(await problemsOf(new BotwrightError('ERR_DEFINITION', lines.join('\n')), '/bot')).toEqual([
    { file: 'buttons/d.ts', text: 'spill has no effect without params; remove spill' },
    { file: 'commands/m.ts', text: 'has no run: give it the function to run' },
    { file: 'commands/h.ts', text: 'cannot be loaded: at load' },
    { text: lines[3] },
  ])
})
