// @module-tag all/processes
// What a person and the log get from handlers that fail as functions: in workerd and on Node.

import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { captureIo, runProgram } from '@botwright/framework/start'
import { defaultWorld, type Service, startService } from '@botwright/service'
import type { PeopleClient } from '@botwright/service/people'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../src/lib/free-port.test.fixture.ts'
import { modules, serveInWorkerd } from '../../src/lib/workerd.test.fixture.ts'
import { joinGeneral } from './person.test.fixture.ts'

const patient = { timeout: 20_000 }
const token = 'token-of-the-failing-bot'

const files = {
  'package.json': '{"type":"module"}',
  'bot.config.ts': `import { defineConfig, MemoryStore } from '@botwright/framework'
export default defineConfig({ store: ({ clock }) => new MemoryStore(clock), limits: { handlerSeconds: 1 } })`,
  'commands/burn.ts': "export default () => {\n  throw new Error('no fuel')\n}\n",
  'commands/slow.ts': 'export default () => new Promise((resolve) => setTimeout(resolve, 4000))\n',
  'lib/count.ts': "export const count = (c: any) => {\n  return c.ask('How many?')\n}\n",
  'commands/order.ts':
    "import { count } from '../lib/count.ts'\nexport default async (ctx: any) => String(await count(ctx))\n",
}

let root: string
let service: Service
let ann: PeopleClient
let channel_id: string
const children: ChildProcess[] = []

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-failures-'))
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  await symlink(modules, join(root, 'node_modules'))
  await cp(fileURLToPath(new URL('server.js', import.meta.url)), join(root, 'server.js'))
  const io = captureIo({ cwd: root, env: { ...process.env } })
  expect([await runProgram(['build', '--target', 'fetch'], io), io.stderr.text]).toEqual([0, ''])
  service = await startService({ port: 0, world: defaultWorld('failing', token), allowLoopbackWebhooks: true })
  ;({ person: ann, channel_id } = await joinGeneral(service, 'ann'))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await service.close()
  await rm(root, { recursive: true, force: true })
})

/** The newest message. */
const newest = async () => (await ann.messages.list({ channel_id, limit: 1 })).messages.at(-1)!.content

async function onNode(port: number, env: Record<string, string>): Promise<() => string> {
  let output = ''
  const args = ['--enable-source-maps', 'server.js']
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env, PORT: String(port) } })
  children.push(child)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
  return () => output
}

async function inWorkerd(port: number, env: Record<string, string>): Promise<() => string> {
  const { child, output } = await serveInWorkerd(root, port, env)
  children.push(child)
  return output
}

describe.each([
  ['workerd', inWorkerd, ''],
  ['Node', onNode, ':2'],
])('in %s', (_, serve, line) => {
  let output: () => string
  beforeAll(async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const bot_id = (await ann.bots.list()).bots[0]!.id
    const { secret } = await ann.bots.setEventWebhook({ bot_id, url: `${url}/` })
    output = await serve(port, {
      BOT_TOKEN: token,
      BOT_BASE_URL: service.base_url,
      BOT_WEBHOOK_SECRET: secret!,
    })
    // The first scheduled run registers the commands. The server of Node begins it by itself.
    const hasCommands = async () => {
      await fetch(`${url}/scheduled`).catch(output)
      return output().includes('"msg":"commands: ')
    }
    await vi.waitUntil(hasCommands, { timeout: 15_000 })
  })

  test('the error of a handler is logged with its file, and the person gets its reference', async () => {
    await ann.messages.create({ channel_id, content: '/burn' })
    await expect.poll(newest, patient).toMatch(/went wrong/i)
    expect(output()).toContain(`"msg":"commands/burn.ts${line}: no fuel"`)
    expect(output()).not.toContain('is not implemented')
  })

  test('a person whose handler takes too long gets an answer, and the advice fits the platform', async () => {
    await ann.messages.create({ channel_id, content: '/slow' })
    await expect.poll(newest, patient).toBe('That took too long.')
    expect(output()).not.toContain('could not be notified')
    expect(output()).toContain('or raise limits.handlerSeconds in bot.config.ts (20 or less for Workers)')
  })

  test('a question that the build has not found fails with the reason of the build', async () => {
    await ann.messages.create({ channel_id, content: '/order' })
    await expect.poll(newest, patient).toMatch(/went wrong/i)
    expect(output()).toContain(
      `"msg":"commands/order.ts${line}: ctx.ask waits for an answer that arrives in another invocation; ask with buttons, whose files handle the clicks"`,
    )
  })
})
