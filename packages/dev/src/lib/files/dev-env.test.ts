import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DevEnv } from './dev-env.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-env-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

test('existing variables take precedence, and only effective changes are reported', async () => {
  const env: NodeJS.ProcessEnv = { KEPT: 'outside' }
  const dev = new DevEnv(root, env)
  expect(dev.read()).toEqual([])
  await writeFile(join(root, '.env'), 'KEPT=inside\nNEW=1\n')
  expect(dev.read()).toEqual(['NEW'])
  expect(env).toEqual({ KEPT: 'outside', NEW: '1' })
  dev.pin({ TOKEN: 'local' })
  await writeFile(join(root, '.env'), 'TOKEN=other\nNEW=2\n')
  expect(dev.read()).toEqual(['NEW'])
  await rm(join(root, '.env'))
  expect(dev.read()).toEqual(['NEW'])
  expect(env).toEqual({ KEPT: 'outside', TOKEN: 'local' })
})

test('an unreadable .env is reported with the fix', async () => {
  await mkdir(join(root, '.env'))
  expect(() => new DevEnv(root, {}).read()).toThrow(/^\.env: cannot be read .*NAME=value/)
})

test('a .env with a byte order mark sets all its variables, and one in UTF-16 is refused with the fix', async () => {
  const env: NodeJS.ProcessEnv = {}
  await writeFile(join(root, '.env'), '\uFEFFBOT_TOKEN=first\nNEXT=2\n')
  expect(new DevEnv(root, env).read()).toEqual(['BOT_TOKEN', 'NEXT'])
  expect(env).toEqual({ BOT_TOKEN: 'first', NEXT: '2' })
  await writeFile(join(root, '.env'), Buffer.from('\uFEFFBOT_TOKEN=first\r\n', 'utf16le'))
  expect(() => new DevEnv(root, {}).read()).toThrow('.env: is in UTF-16; save it as UTF-8')
})
