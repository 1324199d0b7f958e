// @module-tag all/runners
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { promptEnv } from '../prompt-env.ts'
import { hasTools, toolsFolder } from '../publishing/tools.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const tools = join(toolsFolder(), 'node_modules')
const there = hasTools()
if (!there) console.warn('SKIPPED: Jest is not installed; run `node packages/workspace/bin/tools.mjs`')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botwright-runners-'))
  await cp(join(root, 'packages/workspace/tests/runners-bot'), folder, { recursive: true })
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  await symlink(join(root, 'node_modules/@botwright'), join(modules, '@botwright'), 'junction')
  await symlink(join(tools, 'jest'), join(modules, 'jest'), 'junction')
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

// Skipped without the tools, with the warning above; in CI, a skipped test fails.
test.skipIf(!there)('the kit and its matchers work under Jest', async () => {
  const config = { testEnvironment: 'node', transform: {}, testMatch: ['**/jest.js'] }
  await writeFile(join(folder, 'jest.config.json'), JSON.stringify(config))
  const flags = ['--experimental-vm-modules', join(tools, 'jest/bin/jest.js'), '--config', 'jest.config.json']
  const { stderr } = await run(process.execPath, flags, { cwd: folder, env: promptEnv() })
  expect(stderr).toMatch(/^Tests: +3 passed, 3 total$/m)
})

// Skipped without the tools, with the warning above; in CI, a skipped test fails.
test.skipIf(!there)('the kit works under node:test', async () => {
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'node-test.js'], {
    cwd: folder,
    env: promptEnv(),
  })
  expect(stdout).toMatch(/^# pass 3$/m)
})
