import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Compiler } from './compile.ts'
import { CompileError } from './problem.ts'

let root: string
let compiler: Compiler

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-compile-'))
  compiler = new Compiler({ root, outDir: join(root, '.botwright/dev') })
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
}

async function load<T>(path: string | undefined): Promise<T> {
  return ((await import(pathToFileURL(path!).href)) as { default: T }).default
}

async function problemsOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CompileError)
  return (error as CompileError).problems
}

test('folders whose names end in _up load like any other', async () => {
  await write({
    'lib/sign_up/store.ts': "import { two } from '../level_up/two.ts'\nexport const three = two + 1",
    'lib/level_up/two.ts': 'export const two = 2',
    'commands/level_up/set.ts': "import { three } from '../../lib/sign_up/store.ts'\nexport default () => three",
  })
  const { modules } = await compiler.compile({ roots: ['commands/level_up/set.ts'] })
  expect((await load<() => number>(modules['commands/level_up/set.ts']))()).toBe(3)
})

test('a module that two commands import is one instance', async () => {
  await write({
    'lib/store.ts': 'export const store: { count: number } = { count: 0 }',
    'commands/a.ts': "import { store } from '../lib/store.ts'\nexport default () => ++store.count",
    'commands/b.ts': "import { store } from '../lib/store'\nexport default () => ++store.count",
  })
  const { modules } = await compiler.compile({ roots: ['commands/a.ts', 'commands/b.ts'] })
  const [a, b] = [
    await load<() => number>(modules['commands/a.ts']),
    await load<() => number>(modules['commands/b.ts']),
  ]
  expect([a(), b(), a()]).toEqual([1, 2, 3])
})

test('.js meaning .ts, folders with an index, tsconfig paths, JSON, texts, cycles and lazy imports all load', async () => {
  await write({
    'tsconfig.json': '{"compilerOptions":{"paths":{"~/*":["./lib/*"]}}}',
    'lib/one.ts': "import { two } from '../lib/deep/index.js'\nexport const one = () => two() - 1",
    'lib/deep/index.ts':
      "import { one } from '../one.ts'\nexport const two = () => 2\nexport const again = () => one()",
    'lib/words.json': '{"hello":"hej"}',
    'lib/help.txt': 'some help',
    'commands/a.ts': [
      "import { one } from '~/one'",
      "import { again } from '../lib/deep'",
      "import words from '../lib/words.json' with { type: 'json' }",
      "import help from '../lib/help.txt'",
      "import { join } from 'node:path'",
      "export default async () => [one(), again(), words.hello, help, join('a', 'b'), (await import('../lib/lazy.js')).lazy]",
    ].join('\n'),
    'lib/lazy.ts': 'export const lazy = true as boolean',
  })
  const { modules } = await compiler.compile({ roots: ['commands/a.ts'] })
  const run = await load<() => Promise<unknown>>(modules['commands/a.ts'])
  expect(await run()).toEqual([1, 1, 'hej', 'some help', 'a/b', true])
})

test('a save changes only the file and its importers, and never a module that was loaded', async () => {
  await write({
    'lib/text.ts': "export const text = 'one'",
    'commands/a.ts': "import { text } from '../lib/text.ts'\nexport default () => text",
    'commands/b.ts': "export default () => 'b'",
  })
  const roots = ['commands/a.ts', 'commands/b.ts']
  const first = await compiler.compile({ roots })
  expect(first.changed).toEqual(roots)
  await compiler.served()
  await write({ 'lib/text.ts': "export const text = 'two'" })
  const second = await compiler.compile({ roots, changes: { saved: ['lib/text.ts'] } })
  expect(second.changed).toEqual(['commands/a.ts'])
  expect(second.modules['commands/b.ts']).toBe(first.modules['commands/b.ts'])
  // The running bot may load its own version late.
  expect((await load<() => string>(first.modules['commands/a.ts']))()).toBe('one')
  expect((await load<() => string>(second.modules['commands/a.ts']))()).toBe('two')
  await compiler.served()
  await write({ 'lib/text.ts': "export const text = 'three'" })
  await compiler.compile({ roots, changes: { saved: ['lib/text.ts'] } })
  await compiler.served()
  expect(existsSync(first.modules['commands/a.ts']!)).toBe(false)
  expect(existsSync(second.modules['commands/a.ts']!)).toBe(true)
})

test('saving the same text again changes nothing; a changed JSON file changes its importers', async () => {
  await write({ 'a.json': '{"x":1}', 'commands/a.ts': "import a from '../a.json'\nexport default () => a.x" })
  const roots = ['commands/a.ts']
  await compiler.compile({ roots })
  expect((await compiler.compile({ roots, changes: { saved: roots } })).changed).toEqual([])
  await write({ 'a.json': '{"x":2}' })
  const { changed, modules } = await compiler.compile({ roots, changes: { saved: ['a.json'] } })
  expect(changed).toEqual(roots)
  expect((await load<() => number>(modules['commands/a.ts']))()).toBe(2)
})

test('syntax errors, missing files and packages, and missing defaults name file, line and column', async () => {
  await write({
    'commands/syntax.ts': 'const a = 1\nexport default (=> a',
    'commands/missing.ts': "import { x } from './gone.ts'\nexport default () => x",
    'commands/package.ts': "import x from 'not-installed-anywhere/x'\nexport default () => x",
  })
  const roots = ['commands/syntax.ts', 'commands/missing.ts', 'commands/package.ts']
  const found = await problemsOf(compiler.compile({ roots }))
  expect(found.map(({ file, line, column, text }) => ({ file, line, column, text }))).toEqual(
    expect.arrayContaining([
      { file: 'commands/syntax.ts', line: 2, column: 17, text: 'Unexpected "=>"' },
      { file: 'commands/missing.ts', line: 1, column: 19, text: 'Could not resolve "./gone.ts"' },
      {
        file: 'commands/package.ts',
        line: 1,
        column: 15,
        text: 'The package "not-installed-anywhere" is not installed: npm install not-installed-anywhere',
      },
    ]),
  )
  await write({
    'package.json': '{"type":"module","devDependencies":{"@botwright/framework":"0.1.0"}}',
    'commands/typo.ts': "import { command } from '@botwright/framwork'\nexport default command",
  })
  expect((await problemsOf(compiler.compile({ roots: ['commands/typo.ts'] })))[0]).toMatchObject({
    text: 'The package "@botwright/framwork" is not installed; did you mean "@botwright/framework"?',
  })
  await write({
    'package.json': '{"type":"module","dependencies":{"@acme/kudo":"1.0.0","@acme/kudos":"1.0.0"}}',
    'commands/typo.ts': "import { kudos } from '@acme/kudos'\nexport default kudos",
  })
  expect((await problemsOf(compiler.compile({ roots: ['commands/typo.ts'] })))[0]).toMatchObject({
    text: 'The package "@acme/kudos" is not installed: npm install @acme/kudos',
  })
  await write({ 'commands/none.ts': 'export const run = () => 1' })
  expect(await problemsOf(compiler.compile({ roots: ['commands/none.ts'] }))).toEqual([
    {
      file: 'commands/none.ts',
      line: 1,
      column: 1,
      text: 'no default export; add `export default command({ … })`',
    },
  ])
})

test('a save after a failing one is not lost, and restoring a file fixes its importers', async () => {
  await write({ 'commands/a.ts': 'export default () => 1', 'commands/b.ts': 'export default () => 1' })
  const roots = ['commands/a.ts', 'commands/b.ts']
  await compiler.compile({ roots })
  await write({ 'commands/a.ts': 'export default () => 2', 'commands/b.ts': "export { default } from '../lib/b.ts'" })
  await problemsOf(compiler.compile({ roots, changes: { saved: roots } }))
  await write({ 'lib/b.ts': 'export default () => 3' })
  const healed = await compiler.compile({ roots, changes: { added: ['lib/b.ts'] } })
  expect(healed.changed).toEqual(roots)
  expect((await load<() => number>(healed.modules['commands/a.ts']))()).toBe(2)
  expect((await load<() => number>(healed.modules['commands/b.ts']))()).toBe(3)
  await rm(join(root, 'lib/b.ts'))
  const [problem] = await problemsOf(compiler.compile({ roots, changes: { removed: ['lib/b.ts'] } }))
  expect(problem).toMatchObject({ file: 'commands/b.ts', line: 1, text: 'Could not resolve "../lib/b.ts"' })
})

test('ignores a broken file that is no longer imported, and keeps saves made meanwhile', async () => {
  const importing = (file: string) => `import { value } from '../lib/${file}.ts'\nexport default () => value`
  await write({
    'commands/a.ts': importing('old'),
    'lib/old.ts': "export { value } from './value.ts'",
    'lib/value.ts': 'export const value = 1',
  })
  const roots = ['commands/a.ts']
  await compiler.compile({ roots })
  await write({ 'commands/a.ts': importing('new'), 'lib/new.ts': 'export const value = (' })
  const changes = { saved: ['commands/a.ts'], added: ['lib/new.ts'] }
  await problemsOf(compiler.compile({ roots, changes }))
  await write({ 'lib/value.ts': 'export const value = 2' })
  await problemsOf(compiler.compile({ roots, changes: { saved: ['lib/value.ts'] } }))
  await write({ 'commands/a.ts': importing('old') })
  const { modules } = await compiler.compile({ roots, changes: { saved: ['commands/a.ts'] } })
  expect((await load<() => number>(modules['commands/a.ts']))()).toBe(2)
})

test('a link to a folder that leads to another one changes the imports through it', async () => {
  await write({
    'one/x.ts': "export const x = 'one'",
    'two/x.ts': "export const x = 'two'",
    'commands/a.ts': "import { x } from '../current/x.ts'\nexport default () => x",
  })
  await symlink('one', join(root, 'current'), 'dir')
  const roots = ['commands/a.ts']
  await compiler.compile({ roots })
  const same = await compiler.compile({ roots, changes: { saved: ['current/x.ts'] } })
  expect(same.changed).toEqual([])
  await rm(join(root, 'current'))
  await symlink('two', join(root, 'current'), 'dir')
  const { changed, modules } = await compiler.compile({ roots, changes: { saved: ['current/x.ts'] } })
  expect(changed).toEqual(roots)
  expect((await load<() => string>(modules['commands/a.ts']))()).toBe('two')
})

test('stack traces and import.meta name the file and line that the author wrote', async () => {
  await write({
    'lib/fail.ts':
      "interface Unused {\n  a: string\n}\n\nexport function fail(): never {\n  throw new Error('here')\n}",
    'commands/a.ts':
      "import { fail } from '../lib/fail.ts'\nconsole.log(import.meta.url)\nexport default () => {\n  fail()\n}\n",
  })
  const { modules } = await compiler.compile({ roots: ['commands/a.ts'] })
  const script = `import(${JSON.stringify(pathToFileURL(modules['commands/a.ts']!).href)}).then((m) => m.default()).catch((e) => console.log(e.stack))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '-e', script])
  expect(stdout).toContain(pathToFileURL(join(root, 'commands/a.ts')).href)
  expect(stdout).toContain(`${join(root, 'lib/fail.ts')}:6:9`)
  expect(stdout).toContain(`${join(root, 'commands/a.ts')}:4:3`)
})

test('files with a byte order mark compile, package.json included', async () => {
  await write({
    'package.json': '\uFEFF{ "name": "my-bot", "dependencies": {} }',
    'tsconfig.json': '\uFEFF{}',
    'commands/a.ts':
      "\uFEFFimport text from './a.txt'\nimport data from './a.json'\nexport default () => text + data.a",
    'commands/a.txt': '\uFEFFone',
    'commands/a.json': '\uFEFF{ "a": "two" }',
  })
  const { modules } = await compiler.compile({ roots: ['commands/a.ts'] })
  expect((await load<() => string>(modules['commands/a.ts']))()).toBe('onetwo')
})

test.each(['commands/a.ts', 'commands/a.txt', 'commands/a.json', 'tsconfig.json'])(
  '%s in UTF-16 is refused with the fix',
  async (file) => {
    await write({
      'tsconfig.json': '{}',
      'commands/a.ts': "import text from './a.txt'\nimport data from './a.json'\nexport default () => text + data.a",
      'commands/a.txt': 'one',
      'commands/a.json': '{ "a": "two" }',
    })
    const content = await readFile(join(root, file), 'utf8')
    for (const mark of ['', '\uFEFF']) {
      await writeFile(join(root, file), Buffer.from(mark + content, 'utf16le'))
      expect(await problemsOf(compiler.compile({ roots: ['commands/a.ts'] }))).toEqual([
        { file, text: 'is in UTF-16; save it as UTF-8' },
      ])
    }
  },
)

test('a package.json in UTF-16 is refused with the fix', async () => {
  await write({ 'commands/a.ts': 'export default () => 1' })
  await writeFile(join(root, 'package.json'), Buffer.from('\uFEFF{}', 'utf16le'))
  await expect(compiler.compile({ roots: ['commands/a.ts'] })).rejects.toThrow(
    'package.json: is in UTF-16; save it as UTF-8',
  )
})
