import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConfigInput } from '../../author/config/config.ts'
import type { Log } from '../../author/ports.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { readConfig } from '../config/read-config.ts'
import { Cleanup } from '../instance/cleanup.ts'
import { lockFile } from '../../features/host-files/lock.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import { run } from './run-bot.ts'
import { connect, identify, load, open } from './stages.ts'

/** The port of the health endpoint that was opened last, from its log line. */
let healthPort = 0
const log: Log = {
  debug() {},
  info(facts, message) {
    if (message.startsWith('health endpoint')) healthPort = (facts as { port: number }).port
  },
  warn() {},
  error() {},
}
const ping = { 'commands/ping.ts': "export default () => 'pong'" }
const health = { port: 0, host: '127.0.0.1' }

/** Records the stage of each resource that is released. */
class StageCleanup extends Cleanup implements AsyncDisposable {
  stage = ''
  readonly opened: string[] = []
  readonly released: string[] = []

  #recorded(release: () => unknown) {
    const { stage } = this
    this.opened.push(stage)
    return () => {
      this.released.push(stage)
      return release()
    }
  }

  override add(release: () => unknown): void {
    super.add(this.#recorded(release))
  }

  override addLast(release: () => unknown): void {
    super.addLast(this.#recorded(release))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run()
  }
}

async function optionsFor(
  rig: ChatRig,
  files: Record<string, string> = ping,
  { config = {}, ...rest }: Partial<Omit<StartBotOptions, 'config'>> & { config?: ConfigInput } = {},
): Promise<StartBotOptions> {
  return {
    source: rig.source(files),
    config: await readConfig({ health, ...config }, 'bot.config.ts'),
    baseUrl: rig.service.base_url,
    token,
    log,
    dispatcher: 'inline',
    ...rest,
  }
}

/** Runs the stages like `startBot`. */
async function start(options: StartBotOptions, cleanup: StageCleanup) {
  cleanup.stage = 'connect'
  const connection = await connect(options, cleanup)
  cleanup.stage = 'identify'
  const identity = await identify(connection)
  cleanup.stage = 'open'
  const stores = await open(identity)
  cleanup.stage = 'load'
  const loaded = await load(stores)
  cleanup.stage = 'run'
  return { connection, identity, stores, loaded }
}

const liveness = (port: number) =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    ({ status }) => status,
    () => 'closed',
  )

test('connect opens the health endpoint, and the cleanup closes it', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  await connect(await optionsFor(rig), cleanup)
  expect(await liveness(healthPort)).toBe(200)
  await cleanup.run()
  expect(await liveness(healthPort)).toBe('closed')
})

test('connect fails if the webhook secret is missing, before it opens anything', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const options = await optionsFor(rig, ping, { config: { delivery: 'webhook' } })
  await expect(connect(options, cleanup)).rejects.toMatchObject({ code: 'ERR_CONFIG' })
  expect(cleanup.opened).toEqual([])
})

test('identify returns the profile of the bot', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const connection = await connect(await optionsFor(rig), cleanup)
  expect((await identify(connection)).me.username).toBe('helper')
})

test('open takes the lock and opens the store, which the cleanup closes', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const stores = await open(await identify(await connect(await optionsFor(rig), cleanup)))
  const file = lockFile({ baseUrl: rig.service.base_url, botId: stores.me.id })
  const { store } = stores.backend
  await store.set('key', 1)
  expect(await store.get('key')).toMatchObject({ value: 1 })
  expect([existsSync(file), existsSync(join(rig.root, '.botwright', 'journal.db'))]).toEqual([true, true])
  await cleanup.run()
  expect(existsSync(file)).toBe(false)
  await expect((async () => store.get('key'))()).rejects.toThrow()
})

test('open refuses a bot that is already running and leaves its lock alone', async () => {
  await using rig = await ChatRig.start()
  await using first = new StageCleanup(log)
  await using second = new StageCleanup(log)
  const { me } = await open(await identify(await connect(await optionsFor(rig), first)))
  const identity = await identify(await connect(await optionsFor(rig), second))
  await expect(open(identity)).rejects.toMatchObject({ code: 'ERR_ALREADY_RUNNING' })
  await second.run()
  expect(existsSync(lockFile({ baseUrl: rig.service.base_url, botId: me.id }))).toBe(true)
})

test('load returns the code and its commands; run returns a bot whose stop releases everything', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const { loaded } = await start(await optionsFor(rig), cleanup)
  expect(loaded.code.commands.map(({ name }) => name)).toContain('ping')
  const bot = await run(loaded)
  expect(bot.ready).toBe(true)
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('pong'))
  await bot.stop()
  expect(cleanup.released).toHaveLength(cleanup.opened.length)
})

const broken = { 'commands/ping.ts': "throw new Error('broken code')" }
const prepare = () => Promise.reject(new Error('not prepared'))

test.each<[string, Record<string, string>, Partial<StartBotOptions>, RegExp]>([
  ['identify', ping, { token: 'wrong-token-entirely' }, /BOT_TOKEN is not accepted/],
  ['open', ping, { prepare }, /not prepared/],
  ['load', broken, {}, /broken code/],
])('after a failure of %s everything is released in reverse order', async (stage, files, rest, message) => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  await expect(start(await optionsFor(rig, files, rest as object), cleanup)).rejects.toThrow(message)
  expect(cleanup.stage).toBe(stage)
  await cleanup.run()
  const opened = cleanup.opened.toReversed()
  // The lock, which `open` takes first, is released after everything else.
  if (stage !== 'identify') opened.push(opened.splice(opened.lastIndexOf('open'), 1)[0]!)
  expect(cleanup.released).toEqual(opened)
})

test('a failure of run releases everything, the lock last', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  const config = { delivery: 'both', webhook: { port } } as const
  const options = await optionsFor(rig, ping, { config, webhookSecrets: ['s'.repeat(32)] })
  const { loaded, identity } = await start(options, cleanup)
  await expect(run(loaded)).rejects.toMatchObject({ code: 'ERR_CONFIG' })
  await cleanup.run()
  taken.close()
  expect(cleanup.released).toHaveLength(cleanup.opened.length)
  expect(cleanup.released.at(-1)).toBe('open')
  expect(await liveness(healthPort)).toBe('closed')
  expect(existsSync(lockFile({ baseUrl: rig.service.base_url, botId: identity.me.id }))).toBe(false)
})

test('a reload registers the commands after other failures, and rejects with the first one', async () => {
  await using rig = await ChatRig.start()
  await using cleanup = new StageCleanup(log)
  const { loaded } = await start(await optionsFor(rig), cleanup)
  const opened: string[] = []
  const { backend } = loaded
  const createInstance: typeof backend.createInstance = (bot) => {
    const instance = backend.createInstance(bot)
    const { update } = instance
    instance.update = async (definitions) => {
      if (opened.length > 1) throw new Error('the tasks could not be stored')
      await update.call(instance, definitions)
    }
    return instance
  }
  const openWork = async () => {
    if (opened.push('work') > 1) throw new Error('port 3000 is in use')
    return undefined
  }
  const bot = await run({ ...loaded, backend: { ...backend, createInstance }, openWork })
  const files = { ...ping, 'commands/poll.ts': "export default () => 'poll'" }
  await expect(bot.replace(rig.source(files))).rejects.toThrow('port 3000 is in use')
  const { commands } = await bot.call('commands.list', {})
  expect(commands.map(({ name }) => name)).toContain('poll')
  await bot.stop()
})
