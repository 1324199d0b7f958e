import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { z } from 'zod'

/** Whether a test passes, and otherwise the first error. */
export type TestResult = { passes: true } | { passes: false; failure: string }

/** For the whole run, with the start of vitest. */
const TIMEOUT_MS = 120_000
const MAX_FAILURE = 1000

/** The parts of vitest's JSON report that are read. */
const report = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      message: z.string().optional(),
      assertionResults: z.array(z.object({ failureMessages: z.array(z.string()).nullish() })),
    }),
  ),
})

/** Runs a test file with the vitest of the bot; undefined if the bot has none. */
export async function runTest(
  { cwd, env }: Pick<ProgramIo, 'cwd' | 'env'>,
  path: string,
): Promise<TestResult | undefined> {
  const vitest = findVitest(cwd)
  if (vitest === undefined) return undefined
  const place = await mkdtemp(join(tmpdir(), 'botwright-test-'))
  try {
    const file = join(place, 'report.json')
    const args = [vitest, 'run', path, '--reporter=json', `--outputFile=${file}`, '--testTimeout=30000']
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TIMEOUT_MS,
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_FAILURE)))
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
    const written = await readFile(file, 'utf8').catch(() => undefined)
    if (written === undefined) return { passes: false, failure: errors.trim() || 'vitest ended without a report' }
    const { success, testResults } = report.parse(JSON.parse(written))
    if (success) return { passes: true }
    const failures = testResults.flatMap(({ assertionResults, message }) => [
      ...assertionResults.flatMap(({ failureMessages }) => failureMessages ?? []),
      ...(message ? [message] : []),
    ])
    return { passes: false, failure: withoutStack(failures[0] ?? 'vitest reported no error') }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

function findVitest(folder: string): string | undefined {
  try {
    return join(dirname(createRequire(join(folder, 'package.json')).resolve('vitest/package.json')), 'vitest.mjs')
  } catch {
    return undefined
  }
}

const withoutStack = (message: string): string =>
  message
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n')
    .trim()
    .slice(0, MAX_FAILURE)
