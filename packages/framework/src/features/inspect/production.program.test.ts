import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../cli/cli-program.ts'
import { captureIo } from '../../program/program-io.ts'
import { storeIn } from '../stored-state/state-file.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { accessKey, type StoredAccess } from '../access/access.ts'
import type { Finding } from './doctor/finding.ts'

/** A folder with a build and nothing else, as in an image. */
function production(): string {
  const root = mkdtempSync(join(tmpdir(), 'botwright-production-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/ping.mjs'), "export default () => 'pong'")
  const entries = [{ kind: 'command', name: 'ping', file: 'commands/ping.ts' }]
  const modules = { 'commands/ping.ts': 'ping.mjs' }
  const manifest = { version: 1, entries, definitions: entries, modules, config: null }
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  return root
}

async function run(args: string[], cwd: string, env: Record<string, string> = {}) {
  const io = captureIo({ cwd, env })
  const code = await runProgram(args, io)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}

test('the doctor examines a build, and compares the access in each server with the last look', async () => {
  await using rig = await ChatRig.start()
  const root = production()
  const env = { BOT_TOKEN: token, BOT_BASE_URL: rig.service.base_url }
  const doctor = async () => {
    const { stdout } = await run(['doctor', '--json'], root, env)
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return (subject: string) => findings.filter((one) => one.subject === subject)
  }
  const first = await doctor()
  expect(first('folder')).toEqual([{ state: 'ok', subject: 'folder', fact: 'the build in dist has 1 handler' }])
  expect(first('access').map(({ fact }) => fact)).toEqual([
    'in the server "Workshop" the bot sees 22 channels, without a role',
    'not compared: there are no earlier results. A running bot with a health port stores them every hour',
  ])
  const id = rig.service.world.bots['helper']!.id
  const server = rig.service.world.servers['Workshop']!
  const access = { name: 'Workshop', channels: { lost: 'vault' }, roles: { r: 'Mod' }, permissions: [] }
  const stored: StoredAccess = { servers: { [server.id]: access, gone: { ...access, name: 'Gone' } }, lost: {} }
  using store = storeIn(join(root, '.botwright'), id)
  await store.set(accessKey, stored, {})
  const warnings = (await doctor())('access').filter(({ state }) => state === 'warning')
  expect(warnings.map(({ fact }) => fact)).toEqual([
    'in the server "Workshop" the bot has lost the channel #vault, the role Mod within the last day',
    'in the server "Gone" the bot has lost the whole server within the last day',
  ])
})

test('a .env that cannot be read is one fault, and the build is examined all the same', async () => {
  const root = production()
  mkdirSync(join(root, '.env'))
  const { findings } = JSON.parse((await run(['doctor', '--json'], root)).stdout) as { findings: Finding[] }
  expect(findings.filter(({ fact }) => fact.includes('.env: cannot be read')).map(({ subject }) => subject)).toEqual([
    'environment',
  ])
  expect(findings.find(({ subject }) => subject === 'folder')).toMatchObject({ state: 'ok' })
  const info = JSON.parse((await run(['info', '--json'], root)).stdout) as Record<string, object>
  expect(info).toMatchObject({ bot: { command: 1 }, environment: { '.env': expect.stringMatching('cannot be read') } })
})

test('without a build, the doctor names the command that makes one', async () => {
  const root = mkdtempSync(join(tmpdir(), 'botwright-production-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'package.json'), '{}')
  const { code, stdout } = await run(['doctor', '--build', 'out'], root)
  expect(code).toBe(1)
  expect(stdout).toMatch(/✘ folder +\S+out\/botwright\.json: there is no such file\n.*→ run "framework build"/)
})

test('other tools read the build, and name the missing part', async () => {
  const root = production()
  expect((await run(['info'], root)).stdout).toMatch(/command +1\n/)
  expect((await run(['docs', 'alerts'], root)).stdout).toContain('# Alerts')
  expect(await run(['events'], root)).toMatchObject({ code: 1, stderr: expect.stringContaining('record: true') })
  expect(await run(['state', 'list'], root)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has run with this folder'),
  })
})

test('does not suggest removing a state that another program has locked', async () => {
  const root = production()
  const folder = join(root, '.botwright')
  mkdirSync(folder)
  using locked = openDatabase(join(folder, 'state.db'))
  locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  const { code, stderr } = await run(['state', 'list', '--bot', '00000000-0000-0000-0000-000000000001'], root)
  expect({ code, fact: stderr.split('\n')[0] }).toEqual({
    code: 1,
    fact: `${join(folder, 'state.db')}: cannot be read: another program has locked it: close that program`,
  })
})

test.each([['state', 'list'], ['replay'], ['explain']])(
  '%s names a journal that another program has locked, and the fix',
  async (...args) => {
    const root = production()
    const folder = join(root, '.botwright')
    mkdirSync(folder)
    using locked = openDatabase(join(folder, 'journal.db'))
    locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const { code, stderr } = await run(args, root)
    expect({ code, fact: stderr.split('\n')[0] }).toEqual({
      code: 1,
      fact: `${join(folder, 'journal.db')}: the journal cannot be opened: another program has locked it: close that program`,
    })
  },
)

test('info finds the files of a state folder elsewhere', async () => {
  const root = production()
  using store = storeIn(join(root, 'var'), '00000000-0000-0000-0000-000000000001')
  await store.set('a', 1, {})
  const kept = async (...args: string[]) =>
    (JSON.parse((await run(['info', '--json', ...args], root)).stdout) as Record<string, object>)['kept']
  expect(await kept('--state', 'var')).toMatchObject({ 'state.db': true, 'journal.db': false })
  expect(await kept()).toMatchObject({ 'state.db': false })
})

test('framework requests does not look for the requests of another store in state.db', async () => {
  const root = production()
  const manifest = JSON.parse(readFileSync(join(root, 'dist/botwright.json'), 'utf8')) as object
  writeFileSync(join(root, 'dist/config.mjs'), 'export default { store: () => ({}) }')
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify({ ...manifest, config: 'config.mjs' }))
  const { code, stdout, stderr } = await run(['requests', '--bot', '00000000-0000-0000-0000-000000000001'], root)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('bot.config.ts sets a store, which has the requests: list and run them with')
  expect(existsSync(join(root, '.botwright'))).toBe(false)
  const ofDev = await run(['requests', '--bot', '00000000-0000-0000-0000-000000000001', '--from', 'dev'], root)
  expect(ofDev.stderr).not.toContain('sets a store')
})
