import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromRoot } from './lib/run-tool.ts'
import { succeeded, summarizeTests, type TestReport } from './lib/test-report.ts'

// `npm test`: runs every test of the repository and ends with the line "N passed, N failed". Passes arguments to vitest.
const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'botwright-test-'))
const reportFile = join(folder, 'report.json')
try {
  const exitCode = await runVitest()
  // Vitest writes no report if it cannot start; then this failure is the only one to count.
  const text = existsSync(reportFile) ? await readFile(reportFile, 'utf8') : '{"testResults":[]}'
  const skipFails = process.env.CI === 'true'
  const summary = summarizeTests(JSON.parse(text) as TestReport, { exitCode, skipFails })
  for (const name of summary.skipped)
    console.log(`SKIPPED${skipFails ? ' (a failure here)' : ''}: ${fromRoot(root, name)}`)
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
    ...process.argv.slice(2),
  ]
  return new Promise((resolve, reject) => {
    const vitest = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    vitest.once('error', reject)
    vitest.once('close', resolve)
  })
}
