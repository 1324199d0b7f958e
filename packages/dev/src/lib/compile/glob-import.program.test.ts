import { test } from 'vitest'
import { expectAnswers } from '../bot-answers.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

test('a module that import() finds by a pattern is one instance for all its importers', () =>
  expectAnswers(
    {
      'lib/parts/count.ts': 'let count = 0\nexport const next = (): number => ++count\n',
      'lib/parts/deep/other.ts': "export { next } from '../count.ts'",
      'commands/one.ts':
        "const load = (name: string) => import(`../lib/parts/${name}.ts`) as Promise<{ next: () => number }>\nexport default async () => [(await load('count')).next(), (await load('deep/other')).next()]",
      'commands/three.ts': "import { next } from '../lib/parts/count.ts'\nexport default () => next()",
      'commands/two.ts':
        "const name = 'count'\nexport default async () => ((await import('../lib/parts/' + name + '.ts')) as { next: () => number }).next()",
    },
    { 'commands/one.ts': [1, 2], 'commands/two.ts': 3, 'commands/three.ts': 4 },
  ))

test('a pattern also finds text, JSON and CommonJS', slow, () =>
  expectAnswers(
    {
      'lib/parts/words.json': '{"hi":"hello"}',
      'lib/parts/count.cts': 'let count = 0\nexport const next = (): number => ++count\n',
      'lib/load.ts':
        'export const words = (name: string) => import(`./parts/${name}.json`) as Promise<{ default: { hi: string } }>\nexport const code = (name: string) => import(`./parts/${name}.cts`) as Promise<{ default: { next: () => number } }>',
      'commands/one.ts':
        "import { code, words } from '../lib/load.ts'\nexport default async () => [(await words('words')).default.hi, (await code('count')).default.next()]",
      'commands/two.ts': "import { next } from '../lib/parts/count.cts'\nexport default () => next()",
    },
    { 'commands/one.ts': ['hello', 1], 'commands/two.ts': 2 },
  ),
)

test('a pattern without a match rejects, as in Node', slow, () =>
  expectAnswers(
    {
      'lib/parts/en.ts': "export default 'en'",
      'lib/none/words.txt': '',
      'commands/one.ts':
        "const load = (name: string) => import(`../lib/parts/${name}.ts`).catch(() => import('../lib/parts/en.ts'))\nexport default async () => (await load('de')).default",
      'commands/two.ts':
        "const load = (name: string) => import(`../lib/none/${name}.ts`)\nexport default () => load('x').catch((error: unknown) => (error as Error).message)",
    },
    { 'commands/one.ts': 'en', 'commands/two.ts': 'Module not found in bundle: ../lib/none/x.ts' },
  ),
)

test('require() of a pattern without a match throws', slow, () =>
  expectAnswers(
    {
      'lib/parts/en.cjs': "module.exports = 'en'",
      'lib/load.cjs':
        "exports.load = (name) => { try { return require('./parts/' + name + '.cjs') } catch { return 'none' } }",
      'commands/one.ts': "import { load } from '../lib/load.cjs'\nexport default () => [load('en'), load('de')]",
    },
    { 'commands/one.ts': ['en', 'none'] },
  ),
)
