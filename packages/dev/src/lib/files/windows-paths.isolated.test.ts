import type Fs from 'node:fs'
import type Path from 'node:path'
import type Url from 'node:url'
import { expect, test, vi } from 'vitest'
import type { OnResolveArgs, OnResolveResult, PluginBuild } from 'esbuild'
import { placeFile } from '../add/place-file.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { pathBelow } from './path-below.ts'
import { installedName } from '../plugins/mounted-folder.ts'
import { problemOf } from '../compile/problem.ts'
import { Resolutions, resolvePlugin } from '../compile/resolve.ts'
import { emittedPath, sourceOfEmitted } from '../compile/emitted-path.ts'

// Node's own rules of Windows, on every machine: the code under test uses only these two modules for paths.
vi.mock('node:path', async (load) => {
  const { win32 } = await load<typeof Path>()
  return { ...win32, default: win32 }
})
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>()
  return {
    ...fs,
    existsSync: (path: string) => path === String.raw`C:\bots\my bot\commands\ping.ts` || fs.existsSync(path),
  }
})
vi.mock('node:url', async (load) => {
  const url = await load<typeof Url>()
  return { ...url, fileURLToPath: (file: string | URL) => url.fileURLToPath(file, { windows: true }) }
})

const root = String.raw`C:\bots\my bot`

test.each([
  [String.raw`C:\bots\my bot\commands\ping.ts`, 'commands/ping.ts'],
  [String.raw`C:\bots\my bot\..lib\a.ts`, '..lib/a.ts'],
  // The case of a drive letter does not matter.
  [String.raw`c:\bots\my bot\commands\ping.ts`, 'commands/ping.ts'],
  [String.raw`C:\bots\my bot 2\a.ts`, undefined],
  [String.raw`C:\bots`, undefined],
  [String.raw`D:\bots\my bot\a.ts`, undefined],
  [String.raw`\\server\share\a.ts`, undefined],
])('%s is below the bot as %s', (path, file) => {
  expect(pathBelow(root, path)).toBe(file)
})

test('an error of esbuild is located relative to the bot’s folder', () => {
  const location = {
    file: 'commands/ping.ts',
    line: 3,
    column: 6,
    length: 1,
    lineText: '      }',
    namespace: '',
    suggestion: '',
  }
  const message = { id: '', pluginName: '', text: 'Unexpected "}"', location, notes: [], detail: undefined }
  expect(problemOf(message, root)).toMatchObject({ file: 'commands/ping.ts', line: 3, column: 7 })
})

test.each([
  ['a URL', 'at run (file:///C:/bots/my%20bot/commands/ping.ts:12:5)'],
  ['a path', String.raw`at run (C:\bots\my bot\commands\ping.ts:12:5)`],
  ['a place without a function', 'at async file:///C:/bots/my%20bot/commands/ping.ts:12:5'],
])('a throw while loading is placed by %s', async (_what, frame) => {
  const error = new Error('no such price')
  error.stack = [
    'Error: no such price',
    String.raw`    at load (C:\bots\my bot\node_modules\shop\index.js:1:1)`,
    '    at other (file:///D:/else/ping.ts:1:1)',
    `    ${frame}`,
  ].join('\n')
  expect(await problemsOf(error, root)).toEqual([
    { file: 'commands/ping.ts', line: 12, column: 5, text: 'no such price' },
  ])
})

test('an import of a local file becomes a relative import between emitted files', async () => {
  const path = String.raw`C:\bots\shared\dice.ts`
  const resolved = await resolveWith({ path: '../../shared/dice.ts', importer: `${root}\\commands\\roll.ts` }, path)
  expect(resolved).toEqual({ path: '../_up/shared/dice.ts.@@@@@@.mjs', external: true })
  const inside = await resolveWith({ path: './lib/x.ts', importer: `${root}\\roll.ts` }, `${root}\\lib\\x.ts`)
  expect(inside).toEqual({ path: './lib/x.ts.@@@@@@.mjs', external: true })
})

test('an installed package is left to Node, wherever it is', async () => {
  const installed = String.raw`C:\bots\my bot\node_modules\shop\index.js`
  expect(await resolveWith({ path: 'shop', importer: `${root}\\a.ts` }, installed)).toEqual({
    path: 'shop',
    external: true,
  })
})

test('an emitted file maps back to its source', () => {
  for (const file of ['../shared/dice.ts', '../node_modules/a/b.json', 'node_modules/a/_node_modules/b.json']) {
    expect(emittedPath(file, '0a1b2c')).not.toMatch(/(?:^|\/)node_modules\//)
    expect(sourceOfEmitted(emittedPath(file, '0a1b2c'))).toBe(file)
  }
})

test('a module of an installed plugin is identified by its package', () => {
  const folder = String.raw`C:\bots\my bot\node_modules\queues\dist`
  const packageFolder = String.raw`C:\bots\my bot\node_modules\queues`
  const names = { name: 'queues', package: 'queues', packageName: 'queues' }
  const plugin = { ...names, files: [], data: [], folder, packageFolder, isSource: false }
  expect(installedName(`${folder}\\commands\\add.js`, [plugin])).toBe('npm:queues/dist/commands/add.js')
  expect(installedName(`${packageFolder}-more\\a.js`, [plugin])).toBe(`${packageFolder}-more\\a.js`)
})

test.each(['role\\add', 'commands\\role\\add.ts', 'role/add'])('framework add command %s writes one file', (typed) => {
  expect(placeFile('command', typed, new Set(['tsconfig.json']))).toEqual({
    file: 'commands/role/add.ts',
    name: 'role add',
  })
})

/** The plugin's result for an import that esbuild resolves to `found`. */
async function resolveWith(args: Pick<OnResolveArgs, 'path' | 'importer'>, found: string) {
  type Resolve = (args: OnResolveArgs) => Promise<OnResolveResult | undefined>
  let resolve: Resolve | undefined
  const build = {
    onResolve: (_options: unknown, callback: Resolve) => (resolve = callback),
    resolve: () => Promise.resolve({ errors: [], external: false, path: found, namespace: 'file' }),
  }
  await resolvePlugin(root, new Resolutions()).setup(build as unknown as PluginBuild)
  const { importer } = args
  const resolveDir = importer.slice(0, importer.lastIndexOf('\\'))
  return resolve?.({
    ...args,
    resolveDir,
    kind: 'import-statement',
    namespace: 'file',
    pluginData: undefined,
    with: {},
  })
}
