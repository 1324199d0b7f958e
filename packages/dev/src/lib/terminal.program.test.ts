import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { table, wantsColors } from './terminal.ts'

const terminal = { isTTY: true }
const pipe = {}

test.each([
  ['a terminal', terminal, {}, true],
  ['a pipe', pipe, {}, false],
  ['a pipe of a CI', pipe, { CI: 'true' }, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1', CI: 'true' }, true],
  ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
])('colors: %s', (_what, stream, env, expected) => {
  expect(wantsColors(stream, env)).toBe(expected)
})

test('colors do not count as width of a cell', () => {
  expect(
    table([
      ['\u001b[1mab\u001b[22m', 'x'],
      ['abcd', 'y'],
    ]),
  ).toEqual(['\u001b[1mab\u001b[22m    x', 'abcd  y'])
})

const terminalModule = pathToFileURL(fileURLToPath(new URL('../../dist/lib/terminal.js', import.meta.url))).href

test('output in a pipe has no colors, in CI too, unless they are forced', async () => {
  const root = mkdtempSync(join(tmpdir(), 'botwright-terminal-'))
  writeFileSync(
    join(root, 'print.mjs'),
    `import { createTerminal } from '${terminalModule}'
     const { colors, print } = createTerminal()
     print(colors.green('done'))`,
  )
  const printed = (env: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const { FORCE_COLOR: _force, NO_COLOR: _no, CI: _ci, ...rest } = process.env
      execFile(process.execPath, ['print.mjs'], { cwd: root, env: { ...rest, ...env } }, (error, stdout) =>
        resolve(error ? error.message : stdout),
      )
    })
  try {
    expect(await printed({ CI: 'true' })).toBe('done\n')
    expect(await printed({ NO_COLOR: '1', CI: 'true' })).toBe('done\n')
    expect(await printed({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe('\u001b[32mdone\u001b[39m\n')
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
