// @module-tag all/node-versions
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { promptEnv } from '../prompt-env.ts'
import { sampleFolder } from '../sample-folder.ts'
import { otherNode } from '../publishing/tools.ts'
import type { SmokeReport } from './smoke.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const env = promptEnv()
const majors = [22, 24, 26] as const
/** From this version on, `node:sqlite` prints no warning and is used. */
const WITH_SQLITE = 24

for (const major of majors.filter((one) => !otherNode(one)))
  console.warn(`SKIPPED on Node ${major}: it is not installed; run \`node packages/workspace/bin/tools.mjs\``)

// The suite itself runs on the oldest supported Node.
describe.each(majors)('on Node %i', (major) => {
  const node = otherNode(major) ?? ''
  const there = existsSync(node)

  // Skipped without this Node, with the warning above; in CI, a skipped test fails.
  test.skipIf(!there)('a bot is tested, built, started, restarted with its state, reloaded and stopped', async () => {
    const { stdout, stderr } = await run(node, ['packages/workspace/bin/smoke.mjs'], { cwd: root, env })
    expect(JSON.parse(stdout) as SmokeReport).toEqual({
      node: expect.stringMatching(new RegExp(`^${major}\\.`)) as string,
      sqlite: major >= WITH_SQLITE ? 'node' : 'libsql',
      kit: 'pong 1',
      built: 'pong 1',
      restarted: 'pong 2',
      dev: 'pong 3',
      reloaded: expect.stringMatching(/^again \d+$/) as string,
      exitCodes: [0, 0, 0],
    })
    // No warnings about experimental or deprecated features.
    expect(stderr).toBe('')
  })
})

const node = otherNode(WITH_SQLITE) ?? ''
// Skipped without Node 24, with the warning above; in CI, a skipped test fails.
test.skipIf(!existsSync(node))('node:sqlite stores data like libsql', async () => {
  const suites = [
    'packages/sqlite',
    'packages/events/src/lib/journal.program.test.ts',
    'packages/framework/src/author/state',
    'packages/framework/src/runtime/state',
  ]
  await using folder = await sampleFolder({})
  const report = join(folder.root, 'report.json')
  const config = ['--config', '.config/vitest.config.ts']
  await run(
    node,
    ['node_modules/vitest/vitest.mjs', 'run', ...config, '--reporter=json', `--outputFile=${report}`, ...suites],
    { cwd: root, env },
  )
  const seen = JSON.parse(await readFile(report, 'utf8')) as Record<string, unknown>
  expect(seen).toMatchObject({ success: true, numPendingTests: 0 })
  expect(seen['numPassedTests']).toBeGreaterThan(100)
})
