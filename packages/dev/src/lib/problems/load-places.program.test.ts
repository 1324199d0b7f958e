import { expect, test, vi } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { compileBot } from '../load/compile-bot.ts'
import { startDev } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const option = 'emitDecoratorMetadata'
const metadata =
  'tsconfig.json sets "emitDecoratorMetadata", which has no effect here: write the types into the decorators'

test(
  'a setting that has no effect is reported once by check, build, dev and tests, with the fix',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make({
      'tsconfig.json': `{"compilerOptions":{"experimentalDecorators":true,"${option}":true}}`,
      'commands/a.ts': "export default () => 'a'",
    })
    expect((await draft.framework(['check'])).stdout.split(metadata)).toHaveLength(2)
    expect((await draft.framework(['build'])).stdout.split(metadata)).toHaveLength(2)
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    for (const copy of [await compileBot(draft.root), await compileBot(draft.root)]) await copy.remove()
    expect(warn.mock.calls.flat().filter((text) => typeof text === 'string' && text.startsWith(metadata))).toHaveLength(
      1,
    )
    warn.mockRestore()
    await using dev = await startDev(draft)
    const printed = (text: string) => untilPrinted(dev, text)
    await printed('Chat')
    await draft.write({ 'commands/a.ts': "export default () => 'b'" })
    await printed('↻ commands/a.ts')
    // The line may be wrapped.
    expect(dev.output().split(`sets "${option}"`)).toHaveLength(2)
  },
)

test('a warning of tests has no control characters', async () => {
  await using draft = await BotDraft.make({
    'tsconfig.json': '{"extends":"./a\\u001b[2J.json"}',
    'a\u001b[2J.json': `{"compilerOptions":{"${option}":true}}`,
    'commands/a.ts': "export default () => 'a'",
  })
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  await (await compileBot(draft.root)).remove()
  expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('a\\u001b[2J.json sets')])
  warn.mockRestore()
})

/** A package whose source map names a file that only its author has: `src/column.ts` of the bot's folder. */
const orm = {
  'node_modules/orm/package.json': '{"name":"orm","type":"module","exports":"./dist/index.js"}',
  'node_modules/orm/dist/index.js':
    "export function column() { throw new Error('no column type') }\n//# sourceMappingURL=index.js.map\n",
  'node_modules/orm/dist/index.js.map': JSON.stringify({
    version: 3,
    sources: ['../../../src/column.ts'],
    names: [],
    mappings: 'AAAA,MAAM,UAAU,MAAM,KAAK,MAAM,IAAI,KAAK,CAAC',
  }),
  'lib/user.ts': "import { column } from 'orm'\n\ninterface Unused {\n  a: string\n}\n\nexport const user = column()\n",
  'commands/score.ts': "import { user } from '../lib/user.ts'\nexport default () => user",
}

const parts = {
  'lib/parts/a.ts': 'export const a = 1',
  'lib/load.ts':
    'interface Unused {\n  a: string\n}\nexport function load(name: string) {\n  return import(`./parts/${name}.ts`)\n}\n',
  'commands/part.ts':
    "import { load } from '../lib/load.ts'\nconst part = await load('gone')\nexport default () => part",
}

test('an error of a package is located at the line of the bot that called it', slow, async () => {
  await using draft = await BotDraft.make(orm)
  for (const name of ['check', 'build'])
    expect((await draft.framework([name])).stdout).toMatch(
      /^✘ lib\/user\.ts:7:21 {2}commands\/score\.ts cannot be loaded: no column type/,
    )
})

test('an error without a line of the bot has no place, rather than one of the package', async () => {
  await using draft = await BotDraft.make({
    ...orm,
    'node_modules/orm/dist/index.js':
      "throw new Error('no driver')\nexport const column = 1\n//# sourceMappingURL=index.js.map\n",
  })
  const { stdout } = await draft.framework(['check'])
  expect(stdout).toMatch(/^✘ commands\/score\.ts {2}cannot be loaded: no driver/)
})

test(
  'each of several files that fail while they load has its line, also where import() finds no file',
  slow,
  async () => {
    await using draft = await BotDraft.make({
      ...orm,
      ...parts,
      'commands/own.ts': "\n\nthrow new Error('own')\nexport default () => 1",
    })
    for (const name of ['check', 'build']) {
      const { stdout } = await draft.framework([name])
      expect(stdout).toContain('✘ lib/user.ts:7  commands/score.ts cannot be loaded: no column type')
      expect(stdout).toContain(
        '✘ lib/load.ts:5  commands/part.ts cannot be loaded: Module not found in bundle: ./parts/gone.ts',
      )
      expect(stdout).toContain('✘ commands/own.ts:3  cannot be loaded: own')
    }
  },
)

test('check warns about names that Windows does not have', slow, async () => {
  await using draft = await BotDraft.make({
    'commands/nul.ts': "export default () => 'a'",
    'lib/what?/a.ts': 'export const a = 1',
    'lib/b. ': '',
  })
  const { code, stdout } = await draft.framework(['check'])
  expect(code).toBe(0)
  expect(stdout).toContain('! commands/nul.ts: Windows reserves the name nul for a device; choose another')
  expect(stdout).toContain('! lib/what?/a.ts: Windows does not allow < > : " | ? * \\ in names; remove them')
  expect(stdout).toContain('! lib/b. : on Windows, no name ends with a dot or a space; remove it')
})
