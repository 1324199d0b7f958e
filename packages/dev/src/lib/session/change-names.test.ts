import type { Entry } from '@botwright/framework'
import { expect, test } from 'vitest'
import { changeNames } from './change-names.ts'

const entry = (file: string): Entry => ({ kind: 'command', name: file, file })
const names = (before: string[], after: string[], changed: string[] = []) =>
  changeNames(before.map(entry), after.map(entry), changed)

test('a renamed or moved file is one line, a new file and a deleted one are a line each', () => {
  const ping = 'commands/ping.ts'
  expect(names([ping], [ping], [ping])).toEqual([ping])
  expect(names([ping], ['commands/pong.ts'], ['commands/pong.ts'])).toEqual(['commands/ping.ts → commands/pong.ts'])
  expect(names([ping, 'commands/a.ts'], ['commands/b.ts', 'commands/(more)/ping.ts'])).toEqual([
    'commands/b.ts (new)',
    'commands/ping.ts → commands/(more)/ping.ts',
    'commands/a.ts (gone)',
  ])
})
