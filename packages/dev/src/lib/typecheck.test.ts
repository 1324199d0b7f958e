import { expect, test } from 'vitest'
import { readProblems } from './typecheck.ts'

test('of a type error the reason is told that is nearest to what was written', () => {
  const output = [
    "buttons/a.ts(7,3): error TS2322: Type 'Long' is not assignable to type 'Answer'.",
    "  Type 'Promise<Long>' is not assignable to type 'Promise<Answer>'.",
    "    Types of property 'content' are incompatible.",
    "      Type 'Promise<string>' is not assignable to type 'string'.",
    'buttons/b.ts(1,2): error TS2769: No overload matches this call.',
    "  Overload 1 of 2, '(question: Outgoing)', gave the following error.",
    "    Argument of type 'Promise<string>' is not assignable to parameter of type 'Outgoing'.",
    "buttons/c.ts(3,4): error TS2304: Cannot find name 'd'.",
    '',
  ].join('\n')
  expect(readProblems(output).map(({ file, text }) => [file, ...text.split('\n')])).toEqual([
    [
      'buttons/a.ts',
      "TS2322: Type 'Long' is not assignable to type 'Answer'.",
      "  Types of property 'content' are incompatible. Type 'Promise<string>' is not assignable to type 'string'.",
    ],
    [
      'buttons/b.ts',
      'TS2769: No overload matches this call.',
      "  Argument of type 'Promise<string>' is not assignable to parameter of type 'Outgoing'.",
    ],
    ['buttons/c.ts', "TS2304: Cannot find name 'd'."],
  ])
})
