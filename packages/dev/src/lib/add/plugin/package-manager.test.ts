import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandsOf, detectManager } from './package-manager.ts'

let place: string
beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'botwright-package-manager-')))
  await mkdir(join(place, 'apps/bot'), { recursive: true })
})
afterEach(() => rm(place, { recursive: true, force: true }))

test.each([
  ['its own lock file', { 'apps/bot/bun.lock': '', 'yarn.lock': '' }, 'bun', 'apps/bot/bun.lock'],
  ['the lock file of its workspace', { 'pnpm-lock.yaml': '' }, 'pnpm', 'pnpm-lock.yaml'],
  ['the field of a package.json', { 'package.json': '{"packageManager":"yarn@4.9.1"}' }, 'yarn', undefined],
  ['the program that runs it', { '.git/HEAD': '' }, 'bun', undefined],
  ['nothing outside of its repository', { 'apps/.git/HEAD': '', 'yarn.lock': '' }, 'bun', undefined],
])('finds the package manager of a bot by %s', async (_name, files, name, lockFile) => {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, file)), { recursive: true })
    await writeFile(join(place, file), text)
  }
  expect(detectManager(join(place, 'apps/bot'), { npm_config_user_agent: 'bun/1.3.0 linux' })).toEqual({
    name,
    lockFile: lockFile === undefined ? undefined : join(place, lockFile),
  })
})

test('falls back to npm', async () => {
  await mkdir(join(place, '.git'))
  expect(detectManager(place, {}).name).toBe('npm')
})

test.each([
  ['npm', false, 'view a@1 --json', 'install a@1', 'install ../a', 'install ./a.tgz'],
  ['pnpm', false, 'view a@1 --json', 'add a@1', 'add ../a', 'add ./a.tgz'],
  ['yarn', false, 'info a@1 --json', 'add a@1', 'add link:../a', 'add file:./a.tgz'],
  ['yarn', true, 'npm info a@1 --json', 'add a@1', 'add a@portal:../a', 'add a@file:./a.tgz'],
  ['bun', false, 'info a@1 --json', 'add a@1', 'add ../a', 'add ./a.tgz'],
] as const)('has the commands of %s (a newer Yarn: %s)', (name, isNewYarn, view, add, folder, tarball) => {
  const commands = commandsOf(name, { root: '/bots/one', isNewYarn })
  const shown = [
    commands.view('a@1'),
    commands.add({ name: 'a', spec: 'a@1' }),
    commands.add({ name: 'a', path: '/bots/a', isFolder: true }),
    commands.add({ name: 'a', path: '/bots/one/a.tgz' }),
  ]
  expect(shown.map((args) => args.join(' '))).toEqual([view, add, folder, tarball])
})
