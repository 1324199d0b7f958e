import { expect, test } from 'vitest'
import type { Defined } from '../../author/definition.ts'
import type { Entry } from '../../author/files/entries.ts'
import { commandProblem } from './check-command.ts'

const entry = { kind: 'command', name: 'order tea', file: 'commands/order/tea.ts' } as Entry

test.each([
  ['brew', undefined],
  ['tea-2', undefined],
  ['tea', 'the alias "tea" is the command\'s own name; remove it'],
  ['Tea', 'the alias "Tea" is the command\'s own name; remove it'],
  ['order', undefined],
  ['brewNow', expect.stringMatching(/and "brewNow" is not; write "brew-now"$/)],
  ['茶', expect.stringMatching(/and "茶" is not$/)],
])('the alias %s', (alias, problem) => {
  expect(commandProblem(entry, { aliases: [alias] } as unknown as Defined)).toEqual(problem)
})
