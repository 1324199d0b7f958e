import { build, type BuildFailure } from 'esbuild'
import { expect, it } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { problemOf } from './problem.ts'

it('counts columns in characters, as editors and TypeScript do: esbuild counts bytes', async () => {
  const contents = "const a = 'né 日本 🎉'; import './gone'"
  const failed = await build({
    stdin: { contents, sourcefile: 'a.ts', loader: 'ts', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    logLevel: 'silent',
  }).catch((error: unknown) => error as BuildFailure)
  const { line, column, length } = problemOf(failed.errors[0]!, '/bot')
  expect([line, column, length]).toEqual([1, contents.indexOf("'./gone'") + 1, "'./gone'".length])
})

it('lists the files that can be imported: a bot has no loaders to configure', async () => {
  const code = "import text from './c.yaml'\nexport default () => text\n"
  await using draft = await BotDraft.make({ 'commands/c.yaml': 'a: 1', 'commands/yaml.ts': code })
  const { stdout } = await draft.framework(['check'])
  expect(stdout).toContain(
    'commands/yaml.ts:1:18  ".yaml" files such as commands/c.yaml cannot be imported: only code, .json, .txt, .md, .html and .sql can be; read the file with readFile(',
  )
})
