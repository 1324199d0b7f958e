import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTerminal } from '../terminal/terminal.ts'
import { showProblem } from './code-frame.ts'

test.each([
  ['tabs', '\t\tcall(oops)', '\t\t     ^^^^'],
  ['characters that are shown as escapes', "'\u202e' + oops", '           ^^^^'],
])('marks the place under the code after %s', async (_after, line, marks) => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-frame-'))
  try {
    await writeFile(join(root, 'a.ts'), `${line}\n`)
    const output = { write: () => true, isTTY: false }
    const { colors } = createTerminal({ stdout: output, stderr: output, env: {} } as never)
    const problem = { file: 'a.ts', line: 1, column: line.indexOf('oops') + 1, length: 4, text: 'no oops' }
    const shown = (await showProblem(problem, root, colors)).split('\n')
    expect(shown[2]).toBe(`    │ ${marks}`)
  } finally {
    await rm(root, { recursive: true })
  }
})
