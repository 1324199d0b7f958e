import { type TestFile, writeTestFile } from '../files/test-file.ts'
import type { Finding } from './finding.ts'

/** Writes the play of a finding as a test. Rejects with `ERR_CONFIG` if another file is there now. */
export const saveFinding = (finding: Finding, test: TestFile, env: Readonly<Record<string, string>>): Promise<void> =>
  writeTestFile(test, testText(finding, test.folder, env))

function testText(
  { file, line, text, steps, play }: Finding,
  folder: string,
  env: Readonly<Record<string, string>>,
): string {
  const at = `${file}${line === undefined ? '' : `:${line}`}`
  // A text of the bot may contain the end of a line.
  const comment = steps.map((step) => `  // ${step.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')}`.trimEnd())
  const options = Object.keys(env).length > 0 ? `, { env: ${JSON.stringify(env)} }` : ''
  return [
    `// Saved by "framework simulate": ${at}: ${oneLine(text)}`,
    "import { playCase } from '@botwright/testing/simulation'",
    "import { expect, test } from 'vitest'",
    '',
    `test(${JSON.stringify(oneLine(`${at}: ${text}`).slice(0, 120))}, async () => {`,
    ...comment,
    `  const play = ${JSON.stringify(play, undefined, 2).replaceAll('\n', '\n  ')}`,
    `  expect(await playCase(new URL('${folder}/', import.meta.url), play${options})).toEqual([])`,
    '}, 120_000)',
    '',
  ].join('\n')
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
