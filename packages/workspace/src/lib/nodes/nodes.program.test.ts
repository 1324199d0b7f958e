// @module-tag all/node-versions
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { promptEnv } from '../prompt-env.ts'
import { sampleFolder } from '../sample-folder.ts'
import { otherNode, toolProgram, toolVersion } from '../publishing/tools.ts'
import type { SmokeReport } from './smoke.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const env = promptEnv()
/** From this version on, `node:sqlite` prints no warning and is used. */
const WITH_SQLITE = 24

/** The runtimes of the table in versions.md. The suite itself runs on the oldest supported Node. */
const runtimes = [
  ...([22, 24, 26] as const).map((major) => ({
    name: `Node ${major}`,
    tool: `n${major}`,
    program: otherNode(major),
    args: [],
    sqlite: major >= WITH_SQLITE ? 'node' : 'libsql',
  })),
  {
    name: 'Bun',
    tool: '@oven/bun-linux-x64',
    program: toolProgram('@oven/bun-linux-x64/bin/bun'),
    args: [],
    sqlite: 'node',
  },
  {
    name: 'Deno',
    tool: '@deno/linux-x64-glibc',
    program: toolProgram('@deno/linux-x64-glibc/deno'),
    args: ['run', '--allow-all'],
    sqlite: 'node',
  },
]
const page = readFileSync(join(root, 'packages/site/docs/versions.md'), 'utf8')

for (const { name } of runtimes.filter(({ program }) => program === undefined))
  console.warn(`SKIPPED on ${name}: it is not installed; run \`node packages/workspace/bin/tools.mjs\``)

// Deno has no exit code of a process to which it has sent a signal.
const codeOf = (name: string) => (name === 'Deno' ? null : 0)

describe.each(runtimes)('on $name', ({ name, tool, program, args, sqlite }) => {
  test('the table of runtimes has its tested version and its SQLite', () => {
    const driver = sqlite === 'node' ? '`node:sqlite`' : 'libsql'
    const row = page.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? ''
    expect(row.split('|').map((cell) => cell.trim())).toEqual(expect.arrayContaining([toolVersion(tool), driver]))
  })

  // Skipped without this runtime, with the warning above; in CI, a skipped test fails.
  test.skipIf(program === undefined)(
    'a bot is checked, tested, built, started, restarted with its state, reloaded and stopped',
    async () => {
      const { stdout, stderr } = await run(program!, [...args, 'packages/workspace/bin/smoke.mjs'], { cwd: root, env })
      expect(JSON.parse(stdout) as SmokeReport).toEqual({
        runtime: `${name.replace(/ .*/, '')} ${toolVersion(tool)}`,
        sqlite,
        check: '✓ 2 handlers, no problems',
        kit: 'pong 1',
        built: 'pong 1',
        restarted: 'pong 2',
        dev: 'pong 3',
        reloaded: expect.stringMatching(/^again \d+$/) as string,
        exitCodes: [codeOf(name), codeOf(name), codeOf(name)],
      })
      // No warnings about experimental or deprecated features.
      expect(stderr).toBe('')
    },
  )
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
