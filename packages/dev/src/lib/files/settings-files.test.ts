import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseJsonWithComments } from './json-with-comments.ts'
import { projectsOf, settingsAround } from './settings-files.ts'

function folderWith(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'botwright-settings-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

test('settings may contain comments and trailing commas', () => {
  const text = '\ufeff{ // "a": 0,\n "a": [1, /* ] */ 2, ], "b": "// \\"no", /**/ "c": {"d": ",}",\n},\n}\n// end'
  expect(parseJsonWithComments(text)).toEqual({ a: [1, 2], b: '// "no', c: { d: ',}' } })
  expect(() => parseJsonWithComments('{ "a": "')).toThrow(SyntaxError)
  expect(() => parseJsonWithComments('{ /* ')).toThrow(SyntaxError)
})

test('the nearest settings count, with all that they extend: paths, arrays, packages, chains, circles and missing files', () => {
  const root = folderWith({
    'package.json': '{}',
    'tsconfig.json': '{"extends":["./.config/base","@acme/strict","@acme/rules/node.json","./later.json"]}',
    '.config/base.json': '{"extends":"../round.json",}',
    'round.json': '{"extends":"./.config/base.json"}',
    'node_modules/@acme/strict/tsconfig.json': '{}',
    'node_modules/@acme/rules/package.json': '{"name":"@acme/rules","exports":{"./node.json":"./src/node.json"}}',
    'node_modules/@acme/rules/src/node.json': '{}',
    'packages/shared/package.json': '{}',
    'packages/shared/jsconfig.json': '{}',
  })
  const { files } = settingsAround([join(root, 'commands'), join(root, 'packages/shared/src')], root)
  expect([...files].map((file) => relative(root, file)).toSorted()).toEqual([
    '.config/base.json',
    'later.json',
    'node_modules/@acme/rules/src/node.json',
    'node_modules/@acme/strict/tsconfig.json',
    'package.json',
    'packages/shared/jsconfig.json',
    'packages/shared/package.json',
    'round.json',
    'tsconfig.json',
  ])
})

test('options that change the output and have no effect are named once, with the file that sets them and the fix', () => {
  const root = folderWith({
    'tsconfig.json':
      '{"extends":"./base.json","compilerOptions":{"rootDirs":null,"plugins":[{"name":"editor"}],"moduleSuffixes":[""]}}',
    'base.json':
      '{"compilerOptions":{"emitDecoratorMetadata":true,"rootDirs":["a","b"],"plugins":[{"transform":"typia/lib/transform"}],"moduleSuffixes":[".ios",""]}}',
    'other/tsconfig.json':
      '{"extends":"../base.json","compilerOptions":{"emitDecoratorMetadata":false,"rootDirs":null}}',
  })
  const { warnings } = settingsAround([root, join(root, 'lib'), join(root, 'other')], root)
  expect(warnings).toEqual([
    `base.json sets "emitDecoratorMetadata", which has no effect here: write the types into the decorators, such as @Column('int') or @Inject(Dice), and remove it`,
    'base.json sets "plugins", which has no effect here: run the transformer before the bot, and import the code that it writes',
    'base.json sets "moduleSuffixes", which has no effect here: write the suffix in each import, and remove it',
  ])
})

test.each([
  ['without files, as of Vite', { files: [] }, ['app.json']],
  ['without files and patterns, as of Nx', { files: [], include: [] }, ['app.json']],
  ['without patterns', { include: [] }, ['app.json']],
  ['with patterns', { files: [], include: ['commands'] }, ['tsconfig.json']],
  ['with all files', {}, ['tsconfig.json']],
  ['that leads nowhere, which the compiler reports', { files: [], references: [] }, ['tsconfig.json']],
])('the projects of a configuration %s', (_, settings, projects) => {
  const text = JSON.stringify({ references: [{ path: './app.json' }, { path: './tsconfig.json' }], ...settings })
  const root = folderWith({ 'tsconfig.json': text, 'app.json': '{}' })
  expect(projectsOf(join(root, 'tsconfig.json')).map((file) => relative(root, file))).toEqual(projects)
})
