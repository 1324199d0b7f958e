import { build, type BuildFailure } from 'esbuild'
import { expect, it } from 'vitest'
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
