import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { createTerminal, widthOf } from '../terminal/terminal.ts'
import { showProblem } from './code-frame.ts'

test.each([
  ['tabs', '\t\tcall(oops)', '\t\t     ^^^^'],
  ['characters that are shown as escapes', "'\u202e' + oops", '           ^^^^'],
])('marks the place under the code after %s', async (_after, line, marks) => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-frame-'))
  try {
    await writeFile(join(root, 'a.ts'), `${line}\n`)
    const output = { write: () => true, isTTY: false }
    const terminal = createTerminal({ stdout: output, stderr: output, env: {} } as never)
    const problem = { file: 'a.ts', line: 1, column: line.indexOf('oops') + 1, length: 4, text: 'no oops' }
    const shown = (await showProblem(problem, root, terminal)).split('\n')
    expect(shown[2]).toBe(`    │ ${marks}`)
  } finally {
    await rm(root, { recursive: true })
  }
})

test('in a window, the frame is the part of the lines around the place of the error', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-frame-'))
  try {
    const line = `\t\treturn '${'a long text '.repeat(12)}' + oops.name + '${' and more'.repeat(12)}'`
    await writeFile(join(root, 'a.ts'), `function it() {\n${line}\n}\n`)
    const terminal = { colors: pc.createColors(false), size: { columns: 80, rows: 24 } }
    const problem = { file: 'a.ts', line: 2, column: line.indexOf('oops') + 1, length: 4, text: 'no oops' }
    const [, ...frame] = (await showProblem(problem, root, terminal)).split('\n')
    for (const row of frame) expect(widthOf(row)).toBeLessThanOrEqual(80)
    const [, code = '', marks = ''] = frame
    expect(code).toMatch(/│ ….*oops\.name.*…$/)
    expect(code.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('oops')
    const short = { ...problem, column: 4, length: 6 }
    expect((await showProblem(short, root, terminal)).split('\n').slice(1, 4)).toEqual([
      '  1 │ function it() {',
      expect.stringMatching(/^ {2}2 │ {5}return 'a long text .*…$/),
      '    │      ^^^^^^',
    ])
  } finally {
    await rm(root, { recursive: true })
  }
})

test('an error of code that is no longer in the file has no frame', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-frame-'))
  try {
    await writeFile(join(root, 'a.ts'), 'oops()\n')
    await utimes(join(root, 'a.ts'), 1000, 1000)
    const problem = { file: 'a.ts', line: 1, column: 1, text: 'no oops' }
    const shown = (loadedMs: number) =>
      showProblem(problem, root, { colors: pc.createColors(false), size: undefined, loadedMs })
    expect(await shown(1_000_000)).toContain('1 │ oops()')
    expect((await shown(999_000)).split('\n')).toEqual([
      '✘ a.ts:1:1  no oops',
      '  a.ts was saved after this code was loaded',
    ])
  } finally {
    await rm(root, { recursive: true })
  }
})
