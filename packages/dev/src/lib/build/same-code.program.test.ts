import { test } from 'vitest'
import { expectAnswers } from '../bot-answers.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

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

const found = "export const found = (globalThis as unknown as { set?: string }).set ?? 'no'"

test('a build runs modules and packages in the order of their imports, whichever files share them', slow, () =>
  expectAnswers(
    {
      'package.json': '{"type":"module","dependencies":{"setup":"1"}}',
      'node_modules/setup/package.json': '{"version":"1.0.0","type":"module","exports":"./index.js"}',
      'node_modules/setup/index.js': "globalThis.set = 'up'",
      'lib/setup.ts': "Object.assign(globalThis, { set: 'above' })",
      'lib/shared.ts': found,
      'lib/later.ts': found,
      'commands/a.ts': "import 'setup'\nimport { found } from '../lib/shared.ts'\nexport default () => found",
      'commands/b.ts':
        "import '../lib/setup.ts'\nimport * as all from './all.ts'\nexport default () => [all.found, typeof all.default]",
      'commands/all.ts': "export * from '../lib/later.ts'\nexport { default } from './a.ts'",
      'commands/c.ts':
        "import { found } from '../lib/shared.ts'\nimport * as later from '../lib/later.ts'\nexport default () => [found, later.found]",
    },
    { 'commands/a.ts': 'up', 'commands/b.ts': ['above', 'function'], 'commands/c.ts': ['up', 'above'] },
  ),
)

test('a module of a build runs after those that it imports have waited, beside their neighbours', slow, () =>
  expectAnswers(
    {
      'package.json': '{"type":"module"}',
      'lib/log.ts': 'export const log: string[] = []',
      'lib/one.ts':
        "import { log } from './log.ts'\nlog.push('one')\nawait new Promise(setImmediate)\nlog.push('one is ready')",
      'lib/two.ts': "import { log } from './log.ts'\nlog.push('two')",
      'commands/a.ts':
        "import { log } from '../lib/log.ts'\nimport '../lib/one.ts'\nimport '../lib/two.ts'\nexport default () => log",
      'commands/b.ts': "import { log } from '../lib/log.ts'\nimport '../lib/two.ts'\nexport default () => log",
    },
    { 'commands/a.ts': ['one', 'two', 'one is ready'] },
  ),
)

test('functions and classes of a build have the names that the author wrote', slow, () => {
  const lib =
    'export class Gone extends Error { override name = this.constructor.name }\nexport const run = function go() {}'
  return expectAnswers(
    {
      'package.json': '{"type":"module"}',
      'lib/one.ts': lib,
      'lib/two.ts': lib,
      'commands/a.ts':
        "import * as one from '../lib/one.ts'\nimport * as two from '../lib/two.ts'\nexport default () => [one, two].map(({ Gone, run }) => [new Gone().name, run.name])",
    },
    {
      'commands/a.ts': [
        ['Gone', 'go'],
        ['Gone', 'go'],
      ],
    },
  )
})

test('a module that CommonJS requires is one instance with its other importers, in cycles too', slow, () =>
  expectAnswers(
    {
      'package.json': '{"type":"module"}',
      'lib/both.cts': "import counter = require('./counter.ts')\nexport = { up: () => counter.up() }",
      'lib/counter.ts': "import { of } from './text.ts'\nlet n = 0\nexport const up = () => of(++n)",
      'lib/text.ts': 'export const of = (n: number) => `${n}.`',
      'commands/a.ts':
        "import both from '../lib/both.cts'\nimport { up } from '../lib/counter.ts'\nimport { of } from '../lib/text.ts'\nexport const a = () => 'a'\nexport default async () => [both.up(), up(), of(7), await (await import('./b.ts')).default()]",
      'commands/b.ts':
        "import { up } from '../lib/counter.ts'\nimport { a } from './a.ts'\nexport default () => up() + a()",
    },
    { 'commands/a.ts': ['1.', '2.', '7.', '3.a'] },
  ),
)

test('code may read the package.json of its folder', slow, () =>
  expectAnswers(
    {
      'package.json': '{"type":"module"}',
      'commands/more/package.json': '{"type":"module","version":"1.2.3"}',
      'commands/more/a.ts':
        "import { readFileSync } from 'node:fs'\nexport default () => JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).version",
    },
    { 'commands/more/a.ts': '1.2.3' },
  ),
)

test('imported JSON is one instance for its importers, as in Node', slow, () =>
  expectAnswers(
    {
      'package.json': '{"type":"module","version":"1.2.3"}',
      'lib/scores.json': '{"ann": 1, "two words": 2, "default": 3}',
      'lib/scores.ts': "export { default as scores, ann } from './scores.json'",
      'commands/up.ts':
        "import scores from '../lib/scores.json' with { type: 'json' }\nimport { version } from '../package.json'\nexport default () => [++scores.ann, version]",
      'commands/top.ts':
        "import scores from '../lib/scores.json' with { type: 'json' }\nexport default async () => [scores.ann, (await import('../lib/scores.json', { with: { type: 'json' } })).default.ann]",
      'commands/all.ts':
        "import { ann, scores } from '../lib/scores.ts'\nimport * as all from '../lib/scores.json'\nexport default () => [ann, scores['two words'], all.default === scores]",
      'commands/same.ts':
        "import { scores } from '../lib/scores.ts'\nimport same, * as all from '../lib/scores.json' with { type: 'json' }\nexport default async () => [same === scores, Object.keys(all), (await import('../lib/scores.json', { with: { type: 'json' } })).default === scores]",
    },
    {
      'commands/up.ts': [2, '1.2.3'],
      'commands/top.ts': [2, 2],
      'commands/all.ts': [1, 2, true],
      'commands/same.ts': [true, ['default'], true],
    },
  ),
)

const decorated = (name: string) =>
  `function inject(of: string) { return (target: object, _key: undefined, at: number) => void Object.assign(target, { at: of + at }) }\nexport class ${name} { constructor(@inject('${name}') readonly one: number) {} }`

test('settings of TypeScript apply to the files that others import and require, and to those of a linked package', () =>
  expectAnswers(
    {
      'package.json': '{"type":"module"}',
      'tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}',
      'lib/kettle.ts': decorated('Kettle'),
      'lib/cup.ts': decorated('Cup'),
      'lib/old.cts': "import cup = require('./cup.ts')\nexport const Cup = cup.Cup",
      'packages/shared/package.json': '{"name":"@acme/shared","type":"module","exports":"./src/index.ts"}',
      'packages/shared/tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}',
      'packages/shared/src/index.ts': `${decorated('Pot')}\nexport { Lid } from './lid.ts'`,
      'packages/shared/src/lid.ts': decorated('Lid'),
      'commands/a.ts':
        "import { Lid, Pot } from '@acme/shared'\nimport { Kettle } from '../lib/kettle.ts'\nimport old from '../lib/old.cts'\nexport default () => [Kettle, old.Cup, Pot, Lid].map((one) => (one as unknown as { at: string }).at)",
    },
    { 'commands/a.ts': ['Kettle0', 'Cup0', 'Pot0', 'Lid0'] },
    { '@acme/shared': 'packages/shared' },
  ))
