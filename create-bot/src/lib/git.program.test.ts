import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { firstCommit, initRepository } from './git.ts'

let place: string
let folder: string

const script = (name: string, text: string): string => {
  const file = path.join(place, name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}

beforeEach(async () => {
  place = mkdtempSync(path.join(tmpdir(), 'create-bot-git-'))
  folder = mkdtempSync(path.join(place, 'bot-'))
  const config = path.join(place, 'config')
  writeFileSync(config, `[user]\nname = Ann\nemail = a@b.c\n[core]\nhooksPath = ${place}\n`)
  vi.stubEnv('GIT_CONFIG_GLOBAL', config)
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1')
  writeFileSync(path.join(folder, 'bot.ts'), '')
  expect(await initRepository(folder, place)).toEqual({ made: true })
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true, force: true })
})

const configure = (name: string, value: string) => execFileSync('git', ['config', name, value], { cwd: folder })
const log = () => execFileSync('git', ['log', '--format=%s'], { cwd: folder, encoding: 'utf8' })

test('a hook that reads its input gets none', async () => {
  script('pre-commit', 'read answer; [ -z "$answer" ]')
  expect(await firstCommit(folder)).toBeUndefined()
  expect(log()).toBe('Create the bot\n')
})

test('a signing program cannot ask for a passphrase in the terminal', async () => {
  vi.stubEnv('GPG_TTY', '/dev/pts/99')
  configure('commit.gpgSign', 'true')
  configure('gpg.program', script('gpg', 'echo "tty:$GPG_TTY" >&2; exit 1'))
  const why = await firstCommit(folder)
  expect(why).toMatch(/^the files are not committed: .*gpg failed to sign the data/)
})

test('a commit that does not end is given up, and can be repeated', async () => {
  script('pre-commit', `while true; do echo x >> ${place}/beats; sleep 0.05; done`)
  expect(await firstCommit(folder, 1000)).toBe(
    'the files are not committed: git commit did not end within 1 s. It may wait for a passphrase, or a hook may not end',
  )
  const beats = () => readFileSync(path.join(place, 'beats'), 'utf8')
  const before = beats()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(beats()).toBe(before)
  script('pre-commit', '')
  expect(await firstCommit(folder)).toBeUndefined()
})

test('a process that a hook leaves in the background is not waited for', async () => {
  script('post-commit', `sleep 300 & echo $! > ${place}/pid`)
  expect(await firstCommit(folder)).toBeUndefined()
  process.kill(Number(readFileSync(path.join(place, 'pid'), 'utf8')))
})
