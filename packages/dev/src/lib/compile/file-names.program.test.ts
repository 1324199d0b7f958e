import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { expectAnswers } from '../bot-answers.test.fixture.ts'
import { Compiler } from './compile.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

test('files may have any name that the system allows', () =>
  expectAnswers(
    {
      'lib/café.ts': 'export const one = 1',
      'lib/日本/🎉.ts': 'export const two = 2',
      "lib/it's [id].ts": 'export const three = 3',
      'lib/50% #4/a?b.cts': 'export const four = 4',
      "lib/it's.cjs": 'exports.five = require("./ü #5.cjs").five',
      'lib/ü #5.cjs': 'exports.five = 5',
      'commands/a.ts': `import { one } from '../lib/café.ts'
import { two } from '../lib/日本/🎉.ts'
import { three } from "../lib/it's [id].ts"
import { four } from '../lib/50% #4/a?b.cts'
import { five } from "../lib/it's.cjs"
const { five: again } = require('../lib/ü #5.cjs')
export default async () => [one, two, three, four, five, again, (await import('../lib/café.ts')).one]`,
    },
    { 'commands/a.ts': [1, 2, 3, 4, 5, 5, 1] },
  ))

test('folders of handlers may have the names of builds and reports', () =>
  expectAnswers(
    {
      'coverage/index.ts': 'not a module',
      'commands/coverage/show.ts': "export default () => 'shown'",
      'src/commands/dist/list.ts': "export default () => 'listed'",
    },
    { 'commands/coverage/show.ts': 'shown', 'src/commands/dist/list.ts': 'listed' },
  ))

test('a pattern finds files with any name', slow, () =>
  expectAnswers(
    {
      "lib/parts/it's.ts": "export default 'quote'",
      'lib/parts/größe.ts': "export default 'letters'",
      'lib/parts/a: () => b.ts': "export default 'arrow'",
      'lib/parts/日本.txt': 'text',
      'commands/a.ts': `const load = (name: string) => import(\`../lib/parts/\${name}\`)
const names = ["it's.ts", 'größe.ts', 'a: () => b.ts', '日本.txt']
export default () => Promise.all(names.map(async (name) => (await load(name)).default))`,
    },
    { 'commands/a.ts': ['quote', 'letters', 'arrow', 'text'] },
  ),
)

test("a bot's folder may have any name", async () => {
  const root = await mkdtemp(join(tmpdir(), "botwright-ann's größe @ # % "))
  const files = {
    'lib/sum.ts': "import { parentPort } from 'node:worker_threads'\nparentPort!.postMessage('summed')",
    'lib/run.ts': `import { Worker } from 'node:worker_threads'
const worker = new Worker(new URL('./sum.ts', import.meta.url))
worker.once('message', (text) => console.log(text, import.meta.filename))
export default worker`,
  }
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    const { modules } = await new Compiler({ root, outDir: join(root, '.botwright/dev') }).compile({
      roots: ['lib/run.ts'],
    })
    const { stdout } = await promisify(execFile)(process.execPath, [modules['lib/run.ts']!])
    expect(stdout).toBe(`summed ${join(root, 'lib/run.ts')}\n`)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
