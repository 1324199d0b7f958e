import { test } from 'vitest'
import { expectAnswers } from '../bot-answers.test.fixture.ts'

test('a build runs modules that are imported for their effects, as dev does, also with sideEffects: false in package.json', () =>
  expectAnswers(
    {
      'package.json': '{"type":"module","sideEffects":false}',
      'lib/setup.ts': "Object.assign(globalThis, { set: 'up' })",
      'commands/a.ts':
        "import '../lib/setup.ts'\nexport default () => (globalThis as unknown as { set?: string }).set ?? 'no'",
    },
    { 'commands/a.ts': 'up' },
  ))
