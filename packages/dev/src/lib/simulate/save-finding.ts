import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { pathBelow } from '../files/path-below.ts'
import type { Finding } from './finding.ts'

interface Options {
  io: ProgramIo
  root: string
  file: string
  force: boolean
  env: Readonly<Record<string, string>>
}

/** Writes the play of a finding as a test. Rejects with `ERR_CONFIG` if it cannot be there. */
export async function saveFinding(finding: Finding, { io, root, file, force, env }: Options): Promise<string> {
  const path = resolve(io.cwd, file)
  if (!/\.test\.[cm]?[jt]s$/.test(file))
    throw new BotwrightError('ERR_CONFIG', `${file}: the name must end in .test.ts, or vitest does not run it`)
  if (pathBelow(root, path) === undefined)
    throw new BotwrightError('ERR_CONFIG', `${file}: is outside of the bot's folder; pass a path within it`)
  await mkdir(dirname(path), { recursive: true })
  const folder = relative(dirname(path), root).split(sep).join('/')
  try {
    await writeFile(path, testText(finding, folder === '' ? '.' : folder, env), { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new BotwrightError('ERR_CONFIG', `${file}: already exists; pass another name, or --force to replace it`)
  }
  return pathBelow(root, path)!
}

function testText(
  { file, line, text, steps, play }: Finding,
  folder: string,
  env: Readonly<Record<string, string>>,
): string {
  const at = `${file}${line === undefined ? '' : `:${line}`}`
  const comment = steps.map((step) => `  // ${step}`.trimEnd())
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
