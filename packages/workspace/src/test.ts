import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromRoot } from './lib/run-tool.ts'
import { describeLeftOut, succeeded, summarizeTests, type TestReport } from './lib/suite/test-report.ts'
import { FAST_TIER, tiers } from './lib/suite/tiers.ts'

// `npm test`: runs the fast tier, or with --all every test as in CI, and ends with the line "N passed, N failed". Passes other arguments to vitest.
const root = fileURLToPath(new URL('../../../', import.meta.url))
const given = process.argv.slice(2)
const all = given.includes('--all')
/** Filters, such as -t, skip tests too. */
const skipFails = process.env.CI === 'true' || given.join(' ') === '--all'
const folder = await mkdtemp(join(tmpdir(), 'botwright-test-'))
const reportFile = join(folder, 'report.json')
try {
  const exitCode = await runVitest()
  // Vitest writes no report if it cannot start; then this failure is the only one to count.
  const text = existsSync(reportFile) ? await readFile(reportFile, 'utf8') : '{"testResults":[]}'
  const summary = summarizeTests(JSON.parse(text) as TestReport, {
    exitCode,
    skipFails,
    leftOut: all ? [] : tiers,
  })
  for (const name of summary.skipped)
    console.log(`SKIPPED${skipFails ? ' (a failure here)' : ''}: ${fromRoot(root, name)}`)
  for (const line of describeLeftOut(summary, tiers)) console.log(line)
  console.log(`${summary.passed} passed, ${summary.failed} failed`)
  process.exitCode = succeeded(summary) ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

function runVitest(): Promise<number | null> {
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--config', join(root, '.config/vitest.config.ts')],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
    ...(all ? [] : [`--tagsFilter=${FAST_TIER}`]),
    ...given.filter((one) => one !== '--all'),
  ]
  // Tests and examples read it, and then play every case instead of a sample.
  const env = { ...process.env, ...(all && { CI: 'true' }) }
  return new Promise((resolve, reject) => {
    const vitest = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    vitest.once('error', reject)
    vitest.once('close', resolve)
  })
}
