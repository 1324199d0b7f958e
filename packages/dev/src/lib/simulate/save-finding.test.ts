import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findTestFile } from '../files/test-file.ts'
import { saveFinding } from './save-finding.ts'

test('each step is a comment, whatever ends of lines the texts of the bot contain', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-finding-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const found = await findTestFile(root, 'test/a.test.ts', false)
  const steps = ['0:05 ann in #general: /a', '0:05   bot: one\u2028two\rthree\nfour [a\nb]']
  const finding = { kind: 'error', severity: 'fault', file: 'commands/a.ts', line: 2, text: 'odd\u2028split' } as const
  await saveFinding({ ...finding, seed: 1, steps, play: {} }, found, {})
  const lines = (await readFile(found.path, 'utf8')).split(/[\r\n\u2028\u2029]/)
  expect(lines).toContain('  // 0:05   bot: one two three four [a b]')
  expect(lines.filter((line) => /two|three|four|split/.test(line) && !/\/\/|^(?:import|test)/.test(line))).toEqual([])
})
