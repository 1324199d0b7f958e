import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { practise } from './practice.ts'

const folder = mkdtempSync(join(tmpdir(), 'practice-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'command.mjs')
writeFileSync(path, "export default () => { globalThis.practised.count++; return 'done' }")
const { practised } = Object.assign(globalThis, { practised: { count: 0 } })
beforeEach(() => void (practised.count = 0))

test('a spare runs its command many times, and tells nobody', async () => {
  await practise(() => false, path)
  expect(practised.count).toBeGreaterThan(10)
})

test('a practice ends when there is code to load', async () => {
  await practise(() => practised.count === 3, path)
  expect(practised.count).toBe(3)
})

test('the build has what is practised on', async () => {
  const built = new URL('../../dist/joined/practice.js', import.meta.url).href
  const program = `import { practise } from '${built}'; let asked = 0; await practise(() => ++asked < 0); console.log(asked > 10)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout.trim()).toBe('true')
})
