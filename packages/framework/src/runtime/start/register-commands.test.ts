import { expect, test } from 'vitest'
import { planCommands } from './register-commands.ts'

const command = (name: string, description = name) => ({ name, description })

test.each([
  [[], [], 'no change (0)'],
  [[command('a'), command('b')], [command('b'), command('a')], 'no change (2)'],
  [
    [command('old'), command('ping', 'before')],
    [command('ping', 'after'), command('poll')],
    '+ poll, ~ ping (description), - old',
  ],
  [[], [...'abcdefghijk'].map((name) => command(name)), '+ a, + b, + c, + d, + e, + f, + g, + h, and 3 more'],
])('the plan from %o to %o is: %s', (registered, wanted, text) => {
  expect(planCommands(registered, wanted)).toMatchObject({ changed: !text.startsWith('no change'), text })
})
