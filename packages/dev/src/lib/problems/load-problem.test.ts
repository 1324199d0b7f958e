import { BotwrightError } from '@botwright/protocol'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsOf } from './load-problem.ts'

test('each invalid file is a problem of its own, however its text begins', async () => {
  const lines = [
    'buttons/d.ts: spill has no effect without params; remove spill',
    'commands/m.ts has no run: give it the function to run',
    'commands/h.ts cannot be loaded: at load',
    'commands/a.ts and commands/(x)/a.ts both define /a; rename one',
  ]
  expect(await problemsOf(new BotwrightError('ERR_DEFINITION', lines.join('\n')), '/bot')).toEqual([
    { file: 'buttons/d.ts', text: 'spill has no effect without params; remove spill' },
    { file: 'commands/m.ts', text: 'has no run: give it the function to run' },
    { file: 'commands/h.ts', text: 'cannot be loaded: at load' },
    { text: lines[3] },
  ])
})

test('an unknown field is reported with its line and column', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-places-'))
  try {
    await writeFile(join(root, 'a.ts'), "// descriptoin\nexport default command({\n  'descriptoin': 'Pong',\n})\n")
    const text = 'unknown field "descriptoin"; did you mean description?'
    const problems = await problemsOf(new BotwrightError('ERR_DEFINITION', `a.ts: ${text}`), root)
    expect(problems).toEqual([{ file: 'a.ts', line: 3, column: 4, length: 11, text }])
    // A field that is computed elsewhere has no place.
    const other = 'unknown field "elsewhere"'
    expect(await problemsOf(new BotwrightError('ERR_DEFINITION', `a.ts: ${other}`), root)).toEqual([
      { file: 'a.ts', text: other },
    ])
  } finally {
    await rm(root, { recursive: true })
  }
})

test('a missing export is reported although its file was deleted or replaced since', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-places-'))
  try {
    const error = new SyntaxError("The requested module './b.ts.000000.mjs' does not provide an export named 'b'")
    error.stack = `file://${root}/commands/a.ts:1\n${error.stack!}`
    const found = { file: 'commands/a.ts', line: 1, column: 1, length: 1, text: './b.ts has no export named "b"' }
    expect(await problemsOf(error, root)).toEqual([found])
    await writeFile(join(root, 'commands'), '')
    expect(await problemsOf(error, root)).toEqual([found])
  } finally {
    await rm(root, { recursive: true })
  }
})
