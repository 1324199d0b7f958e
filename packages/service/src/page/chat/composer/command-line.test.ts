import { expect, it } from 'vitest'
import type { CommandHelp } from '../../../people.ts'
import { readCommandLine } from './command-line.ts'

const command: CommandHelp = {
  ...{ name: 'pour', description: '', aliases: [], usage: '', examples: [] },
  args: [{ name: 'liters', expects: 'a number', takes: 'word', number: { whole: false, min: -10, max: 10 } }],
}
const problem = (typed: string) => readCommandLine(`/pour ${typed} `, `/pour ${typed} `.length, [command])?.problem

it.each(['5', '+5', '-5', '2.5', '2,5', '5.', '.5', ',5', '-.5', '1e1', '２．５', '٢'])(
  'accepts the number %s, as bots do',
  (typed) => {
    expect(problem(typed)).toBeUndefined()
  },
)

it.each(['.', 'x', '5x', '11', '1e400', '1,000'])('refuses %s, as bots do', (typed) => {
  expect(problem(typed)).toBe('liters must be a number')
})
