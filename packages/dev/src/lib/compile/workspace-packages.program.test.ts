import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { build } from '../build/build.ts'
import { compileBot } from '../load/compile-bot.ts'
import { startDev } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// A package of the workspace is linked into node_modules: what its import resolves to decides how it is loaded.

const command = (run: string, before: string) =>
  `import { command } from '@botwright/framework'\n${before}\nexport default command({ description: 'Answers', run: () => ${run} })\n`

const shout = {
  'packages/shared/package.json': JSON.stringify({
    name: '@acme/shared',
    type: 'module',
    exports: { '.': './src/index.ts', './text': './src/text.ts' },
  }),
  'packages/shared/src/index.ts': "export { shout } from './text.ts'; export enum Colour { Red = 'red' }",
  'packages/shared/src/text.ts': "export const shout = (s: string): string => s.toUpperCase() + '!'",
  'commands/shout.ts': command(
    "shout('hey') + Colour.Red",
    "import { Colour } from '@acme/shared'\nimport { shout } from '@acme/shared/text'",
  ),
}

async function link(draft: BotDraft, name: string, folder: string): Promise<void> {
  const path = join(draft.root, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(draft.root, folder), path)
}

async function reply(folder: string, file: string): Promise<unknown> {
  const { source, remove } = await compileBot(folder)
  source.provide!(file)
  const module = (await import(pathToFileURL(source.modules[file]!).href)) as { default: { run(): unknown } }
  const answer = await module.default.run()
  await remove()
  return answer
}

async function builtReply(folder: string, file: string): Promise<unknown> {
  const out = join(folder, 'dist')
  await build(folder, out)
  const path = join(out, file.replace(/\.ts$/, '.mjs'))
  const module = (await import(pathToFileURL(path).href)) as { default: { run(): unknown } }
  return module.default.run()
}

test(
  'a linked package that exports TypeScript is compiled with the bot, in check, build and tests',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make(shout)
    await link(draft, '@acme/shared', 'packages/shared')
    const { code, stdout } = await draft.framework(['check'])
    expect(stdout).toContain('1 handler, no problems')
    expect(code).toBe(0)
    expect(await reply(draft.root, 'commands/shout.ts')).toBe('HEY!red')
    expect(await builtReply(draft.root, 'commands/shout.ts')).toBe('HEY!red')
  },
)

test(
  'dev reloads when a source of a linked package outside the folder is saved, also a new one that shadows another',
  { tags: 'all/real-time' },
  async () => {
    await using draft = await BotDraft.make({
      ...Object.fromEntries(
        Object.entries(shout).map(([file, text]) => [file.startsWith('commands') ? `bot/${file}` : file, text]),
      ),
      'bot/package.json': '{"type":"module"}',
      'packages/shared/src/text.ts': "export { shout } from './how'",
      'packages/shared/src/how/index.ts': "export const shout = (s: string) => s + '?'",
    })
    await link(draft, '@acme/shared', 'packages/shared')
    await using dev = await startDev({ root: join(draft.root, 'bot') })
    const printed = (text: string | RegExp) => untilPrinted(dev, text)
    await printed(/Chat +http/)
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
    const answers = (text: string) => ann.comesToAnswer('/shout', text)
    expect(await ann.answerTo('/shout')).toBe('hey?red')
    await draft.write({ 'packages/shared/src/how/index.ts': "export const shout = (s: string) => s + '…'" })
    await answers('hey…red')
    await draft.write({ 'packages/shared/src/how.ts': "export const shout = (s: string) => s + '#'" })
    await answers('hey#red')
    await draft.write({
      'packages/shared/package.json': JSON.stringify({
        name: '@acme/shared',
        type: 'module',
        exports: { '.': './src/index.ts', './text': './src/loud.ts' },
      }),
      'packages/shared/src/loud.ts': 'export const shout = (s: string) => s.toUpperCase()',
    })
    await answers('HEYred')
  },
)

test('dev reloads when a linked package is built again, also from nothing', { tags: 'all/real-time' }, async () => {
  const built = (mark: string) => ({
    'packages/shared/dist/index.js': "export { shout } from './text.js'",
    'packages/shared/dist/text.js': `export const shout = (s) => s + '${mark}'`,
  })
  await using draft = await BotDraft.make({
    ...built('!'),
    'packages/shared/package.json': '{"name":"@acme/shared","type":"module","exports":"./dist/index.js"}',
    'bot/package.json': '{"type":"module"}',
    'bot/commands/shout.ts': command("shout('hey')", "import { shout } from '@acme/shared'"),
  })
  await link(draft, '@acme/shared', 'packages/shared')
  await using dev = await startDev({ root: join(draft.root, 'bot') })
  await untilPrinted(dev, /Chat +http/)
  const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
  expect(await ann.answerTo('/shout')).toBe('hey!')
  // The file that the bot imports stays the same.
  await draft.write(built('?'))
  await expect.poll(() => ann.answerTo('/shout')).toBe('hey?')
  await rm(join(draft.root, 'packages/shared/dist'), { recursive: true })
  await draft.write(built('…'))
  await expect.poll(() => ann.answerTo('/shout')).toBe('hey…')
})

test('conditions of Node select the export of a package: not development, module or a condition of TypeScript', async () => {
  await using draft = await BotDraft.make({
    'tsconfig.json': '{"compilerOptions":{"customConditions":["custom"]}}',
    'packages/kit/package.json': JSON.stringify({
      name: 'kit',
      type: 'module',
      exports: { custom: './c.ts', development: './d.ts', module: './m.ts', default: './x.ts' },
    }),
    ...Object.fromEntries(
      ['c', 'd', 'm', 'x'].map((name) => [`packages/kit/${name}.ts`, `export const which = '${name}'`]),
    ),
    'commands/which.ts': command('which', "import { which } from 'kit'"),
  })
  await link(draft, 'kit', 'packages/kit')
  expect(await reply(draft.root, 'commands/which.ts')).toBe('x')
  expect(await builtReply(draft.root, 'commands/which.ts')).toBe('x')
})

test('a package that names no existing file, and one that only a neighbour finds, are reported with the fix', async () => {
  await using draft = await BotDraft.make({
    'packages/lib/package.json': '{"name":"lib","type":"module","exports":"./dist/index.js"}',
    'packages/deep/package.json': '{"name":"deep","type":"module","exports":"./index.ts"}',
    'packages/deep/index.ts': "import 'own'\nexport const deep = 1",
    'packages/deep/node_modules/own/package.json': '{"name":"own","version":"1.0.0"}',
    'packages/deep/node_modules/own/index.js': '',
    'commands/a.ts': command('x', "import { x } from 'lib'"),
    'commands/b.ts': command('deep', "import { deep } from 'deep'"),
  })
  await link(draft, 'lib', 'packages/lib')
  await link(draft, 'deep', 'packages/deep')
  for (const name of ['check', 'build']) {
    const { code, stdout } = await draft.framework([name])
    expect(code).toBe(1)
    expect(stdout).toContain(
      'commands/a.ts:2:19  "lib" resolves to no existing file: build the package in packages/lib, or export its TypeScript sources in packages/lib/package.json',
    )
  }
  await draft.write({ 'commands/a.ts': command('1', '') })
  for (const name of ['check', 'build']) {
    const { stdout } = await draft.framework([name])
    expect(stdout).toContain(
      'packages/deep/index.ts:1:8  The package "own" is not installed for the bot itself, which runs this file: npm install own',
    )
  }
  await draft.write({
    'packages/deep/index.ts': "import 'kit'\nexport const deep = 1",
    'packages/my kit/package.json': '{"name":"kit","type":"module","exports":"./index.js"}',
    'packages/my kit/index.js': '',
  })
  await symlink(join(draft.root, 'packages/my kit'), join(draft.root, 'packages/deep/node_modules/kit'))
  // npm would take the path without ./ for a repository.
  expect((await draft.framework(['check'])).stdout).toContain("npm install './packages/my kit'\n")
  await draft.write({ 'packages/deep/index.ts': "import 'own'\nexport const deep = 1" })
  const installed = join(draft.root, 'node_modules/own')
  await mkdir(installed)
  await writeFile(join(installed, 'package.json'), '{"name":"own","version":"2.0.0"}')
  expect((await draft.framework(['check'])).stdout).toContain(
    'packages/deep/index.ts:1:8  The package "own" is version 1.0.0 here, but 2.0.0 for the bot, which runs this file: use one version',
  )
})

test("under Yarn Plug'n'Play, which has no node_modules, the error names the setting", async () => {
  await using draft = await BotDraft.make({ 'commands/a.ts': command('value', "import { value } from 'kit'") })
  const versions = process.versions as { pnp?: string }
  versions.pnp = '3'
  onTestFinished(() => void delete versions.pnp)
  await expect(compileBot(draft.root)).rejects.toThrow(
    'The package "kit" has no folder in node_modules: Yarn Plug\'n\'Play is not supported; set nodeLinker: node-modules in .yarnrc.yml, and run yarn install',
  )
})

test('TypeScript of an installed package is reported with the package and the fix', slow, async () => {
  await using draft = await BotDraft.make({
    'node_modules/raw/package.json': '{"name":"raw","type":"module","exports":"./index.ts"}',
    'node_modules/raw/index.ts': 'export enum Raw { A = 1 }',
    'commands/raw.ts': command('Raw.A', "import { Raw } from 'raw'"),
  })
  const fix =
    'the package "raw" exports TypeScript (index.ts), which Node does not run from node_modules: use a version of it that is built, or make it a package of the workspace'
  for (const name of ['check', 'build']) expect((await draft.framework([name])).stdout).toContain(fix)
  await draft.write({ 'bot.config.ts': "import { Raw } from 'raw'\nexport default { answerBots: Raw.A === 1 }" })
  expect((await draft.framework(['check'])).stdout).toContain(fix)
})
