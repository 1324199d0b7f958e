import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answers, expectAnswers } from '../bot-answers.test.fixture.ts'
import { BotDraft } from '../bot-folder.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

test('a .cjs and a .cts file are one instance for all their importers, as in Node', () =>
  expectAnswers(
    {
      'lib/count.cts': 'let count = 0\nexport const next = (): number => ++count\n',
      'lib/pool.cjs': 'let opened = 0\nexports.open = () => ++opened\nexports.next = require("./count.cts").next\n',
      'commands/a.ts':
        "import { next } from '../lib/count.cts'\nimport pool, { open } from '../lib/pool.cjs'\nexport default () => [next(), open(), pool.next()]",
      'commands/b.ts':
        "import { next } from '../lib/count.cts'\nimport { open } from '../lib/pool.cjs'\nexport default async () => [next(), open(), (await import('../lib/pool.cjs')).default.next()]",
    },
    { 'commands/a.ts': [1, 1, 2], 'commands/b.ts': [3, 2, 4] },
  ))

test('CommonJS has require, its location, cycles and the exports that a package has for require', slow, () =>
  expectAnswers(
    {
      'node_modules/dual/package.json': '{"name":"dual","exports":{"import":"./import.mjs","require":"./require.cjs"}}',
      'node_modules/dual/import.mjs': "export const how = 'import'",
      'node_modules/dual/require.cjs': "exports.how = 'require'",
      'lib/words.json': '["a"]',
      'lib/note.txt': 'noted',
      'lib/one.cjs':
        "exports.early = 1\nconst two = require('./two.cjs')\nexports.sum = () => two.plus() + two.seen\nexports.words = require('./words.json')",
      'lib/two.cjs': "const one = require('./one.cjs')\nexports.seen = one.early\nexports.plus = () => one.early + 1",
      'lib/read.cts':
        "import { readFileSync } from 'node:fs'\nimport path = require('node:path')\nimport { how } from 'dual'\nexport const read = (): string => readFileSync(path.join(__dirname, 'note.txt'), 'utf8') + how + path.basename(__filename)",
      'commands/a.ts':
        "import one from '../lib/one.cjs'\nimport { read } from '../lib/read.cts'\nimport os = require('node:os')\nexport default () => [one.sum(), one.words[0], read(), typeof os.cpus]",
    },
    { 'commands/a.ts': [3, 'a', 'notedrequireread.cts', 'function'] },
  ),
)

test(
  'a build contains the files beside CommonJS, and an error in it is located',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make({
      'notes/one.txt': 'one',
      'lib/read.cjs':
        "const fs = require('node:fs')\nexports.read = () => fs.readFileSync(require('node:path').join(__dirname, '../notes/one.txt'), 'utf8')\nif (exports.read() === '') return\nexports.more = 1",
      'commands/a.ts': "import { more, read } from '../lib/read.cjs'\nexport default () => [read(), more]",
    })
    expect(await answers(draft, ['commands/a.ts'])).toEqual({ tests: [['one', 1]], built: [['one', 1]] })
    expect(existsSync(join(draft.root, 'dist/notes/one.txt'))).toBe(true)
    await draft.write({ 'lib/read.cjs': "\n\n  throw new Error('no read')" })
    for (const name of ['check', 'build']) expect((await draft.framework([name])).stdout).toContain('lib/read.cjs:3:9')
    await draft.write({ 'lib/read.cjs': '\nconst = 1' })
    for (const name of ['check', 'build']) expect((await draft.framework([name])).stdout).toContain('lib/read.cjs:2:7')
  },
)

test('require.resolve of CommonJS begins at the source, and a build contains the file', slow, () =>
  expectAnswers(
    {
      'lib/words.json': '["a"]',
      'lib/note.txt': 'noted',
      'lib/resolve.cjs':
        "const { readFileSync } = require('node:fs')\nexports.words = () => require(require.resolve('./words.json'))\nexports.note = () => readFileSync(require.resolve('./note.txt'), 'utf8')\ntry { exports.more = require.resolve('not-there') } catch { exports.more = 'none' }",
      'commands/a.ts':
        "import { more, note, words } from '../lib/resolve.cjs'\nexport default () => [words(), note(), more]",
    },
    { 'commands/a.ts': [['a'], 'noted', 'none'] },
  ),
)

test(
  'JSON is one instance for the CommonJS files that require it and the modules that import it, as in Node',
  slow,
  () =>
    expectAnswers(
      {
        'lib/words.json': '["a"]',
        'lib/one.cjs':
          "exports.words = require('./words.json')\nexports.words.push('one')\nexports.again = require('./words.json') === exports.words",
        'lib/two.cts': "const words: string[] = require('./words.json')\nwords.push('two')\nexport { words }",
        'commands/a.ts':
          "import one from '../lib/one.cjs'\nimport { words } from '../lib/two.cts'\nimport json from '../lib/words.json'\nexport default () => [one.words, one.words === words, one.again, json === words]",
        'commands/b.ts':
          "import json = require('../lib/words.json')\nimport same from '../lib/words.json' with { type: 'json' }\nexport default () => [json.length, json === same]",
      },
      { 'commands/a.ts': [['a', 'one', 'two'], true, true, true], 'commands/b.ts': [3, true] },
    ),
)
