import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type KeyValueStorage, keyValueStore } from '../key-value-stores/key-value-store.ts'
import { FunctionRig, nowhere } from './function-rig.test.fixture.ts'

const joined = (name: string) => new URL(`../../../dist/joined/${name}.js`, import.meta.url).href

/** A storage that processes share, one after the other. */
const storage = (
  folder: string,
) => `import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
const folder = ${JSON.stringify(folder)}
mkdirSync(folder, { recursive: true })
export const getItem = async (key) => { try { return readFileSync(folder + key, 'utf8') } catch { return null } }
export const setItem = async (key, value) => writeFileSync(folder + key, value)
export const removeItem = async (key) => rmSync(folder + key, { force: true })
export const getKeys = async () => readdirSync(folder)`

/** A function in a process of its own, which prints its port. */
const program = (source: object) => `import { createServer } from 'node:http'
import { keyValueStore, loadBot } from '${joined('index')}'
import { createFunctionBot, nodeHandler } from '${joined('functions')}'
import * as storage from './storage.mjs'
const { manifest, modules, root } = ${JSON.stringify(source)}
const log = { debug() {}, info() {}, warn() {}, error() {} }
const { definitions } = await loadBot({ manifest, modules, root }, { log, me: {} })
const files = Object.fromEntries(Object.entries(modules).map(([file, path]) => [file, () => import(path)]))
const config = async () => ({ default: { store: ({ clock }) => keyValueStore(storage, clock) } })
const bot = createFunctionBot({ manifest, definitions, codeId: '1', everyMs: 60_000, files, config })
const server = createServer(nodeHandler(bot)).listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))`

const files = {
  'commands/slow.ts': `export default async (ctx) => {
    if (ctx.redelivered) return 'again'
    console.log('begun')
    await new Promise(() => setInterval(() => {}, 1000))
  }`,
  'commands/ping.ts': 'export default () => "pong"',
}

test('the event of a process that was killed while it handled it runs again, and once', async () => {
  await using it = await FunctionRig.start(files, {
    hasWebhook: false,
    openStore: async (clock, rig) => {
      writeFileSync(join(rig.root, 'storage.mjs'), storage(`${rig.root}/values/`))
      const module = (await import(pathToFileURL(join(rig.root, 'storage.mjs')).href)) as KeyValueStorage
      return keyValueStore(module, clock)
    },
  })
  const { rig } = it
  await it.scheduled()
  writeFileSync(join(rig.root, 'function.mjs'), program(rig.source(files)))
  const child = spawn(process.execPath, ['function.mjs'], {
    cwd: rig.root,
    env: { ...process.env, ...it.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  await expect.poll(() => output).toMatch(/port \d+\n/)
  await it.sendTo(`http://127.0.0.1:${/port (\d+)/.exec(output)![1]}/`)
  await rig.says('ann', '/slow')
  await expect.poll(() => output).toContain('begun')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await it.sendTo(nowhere)
  await rig.says('ann', '/ping')
  await rig.says('ann', '/ping', 'random')
  await it.scheduled()
  // Its channel waits: the process may still be running.
  expect(await rig.texts('random')).toContain('pong')
  expect(await it.texts(0)).toEqual([])
  it.clock.advance(5 * 60_000)
  await it.scheduled()
  await it.scheduled()
  expect(await it.texts(2)).toEqual(['again', 'pong'])
})
