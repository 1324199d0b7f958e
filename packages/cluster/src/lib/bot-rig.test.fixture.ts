import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Service, startService, type World } from '@botwright/service'
import { connectPeople, type PeopleCalls, type PeopleClient } from '@botwright/service/people'
import { vi } from 'vitest'
import { systemClock } from '@botwright/framework/cluster'
import { RedisLink } from './redis/connect.ts'
import { keysOf } from './redis/keys.ts'
import { type RedisRig, startRedis } from './redis-rig.test.fixture.ts'
import { spawnChild } from './child-process.test.fixture.ts'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')
const token = 'token-of-worker'
const people = ['ann', 'bob', 'cid', 'dan']
/** Is in no server. */
const newcomer = 'zoe'
const folders: Record<string, string> = {
  commands: 'command',
  buttons: 'button',
  events: 'event',
  tasks: 'task',
  routes: 'route',
}
export const framework = new URL('../../../framework/dist/joined/index.js', import.meta.url).href

/** One instance: `framework start --cluster` in a process of its own. */
export interface InstanceProcess {
  child: ChildProcess
  ended: Promise<number | null>
  output(): string
}

export type SeenMessage = PeopleCalls['messages']['list']['output']['messages'][number]

/** A real local service, a real Redis, and builds of a bot that instances run. */
export class BotRig implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'botwright-instances-'))
  readonly service: Service
  readonly redis: RedisRig
  readonly instances: InstanceProcess[] = []
  #clicks = 0

  constructor(service: Service, redis: RedisRig) {
    this.service = service
    this.redis = redis
    mkdirSync(join(this.root, 'node_modules'))
    symlinkSync(join(checkout, 'node_modules/@botwright'), join(this.root, 'node_modules/@botwright'))
    writeFileSync(join(this.root, 'package.json'), '{"type":"module","version":"1.2.3"}')
  }

  /** `redis`: a Redis other than the default one. `server`: other fields of the server. */
  static async start(
    redis: Promise<RedisRig> = startRedis(),
    server: Partial<NonNullable<World['servers']>[number]> = {},
  ): Promise<BotRig> {
    const channels = ['general', 'random', ...Array.from({ length: 12 }, (_, i) => `c${i}`)].map((name) => ({ name }))
    const service = await startService({
      port: 0,
      controls: true,
      world: {
        people: [...people, newcomer].map((username) => ({ username })),
        bots: [{ username: 'helper', owner: 'ann', token }],
        servers: [{ name: 'Workshop', owner: 'ann', members: people.slice(1), bots: ['helper'], channels, ...server }],
      },
    })
    return new BotRig(service, await redis)
  }

  /** Writes a build as `framework build` does; `config` is the code of a `bot.config.ts`. */
  build(name: string, files: Record<string, string>, config?: string): void {
    const folder = join(this.root, name)
    const modules: Record<string, string> = {}
    const entries = Object.entries(files).map(([file, text]) => {
      const path = file.replace(/\.ts$/, '.mjs')
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
      modules[file] = path
      const kind = folders[dirname(file)]!
      return { kind, name: `${kind === 'route' ? 'POST /' : ''}${basename(file, '.ts')}`, file }
    })
    const definitions = entries.map((entry) => ({
      ...entry,
      ...(files[entry.file]!.includes('durable: true') && { durable: true }),
      ...(files[entry.file]!.includes('gather:') && {
        conditions: ['gathers'],
        facts: { gather: { quietMs: 60_000, maxMs: 120_000, per: 'user' } },
      }),
      ...(entry.kind === 'command' && { description: entry.name }),
      ...(entry.kind === 'route' && { facts: { limit: 1000, respond: false, retry: false, verify: false } }),
      ...(entry.kind === 'task' && { schedule: { everyMs: 1000, missed: 'once', retry: false } }),
    }))
    if (config !== undefined) writeFileSync(join(folder, 'config.mjs'), config)
    const manifest = { version: 1, entries, definitions, modules, config: config === undefined ? null : 'config.mjs' }
    writeFileSync(join(folder, 'botwright.json'), JSON.stringify(manifest))
  }

  /** Builds a bot of `examples/` with `framework build`. */
  async buildExample(name: string): Promise<void> {
    const cwd = join(checkout, 'examples', name)
    const built = this.run(['build', '--out', join(this.root, name)], {}, cwd)
    if ((await built.ended) !== 0) throw new Error(built.output())
  }

  run(args: string[], env: Record<string, string> = {}, cwd = this.root): InstanceProcess {
    const child = spawnChild(process.execPath, [program, ...args], {
      cwd,
      env: { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: this.service.base_url, ...env },
    })
    let output = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text: Buffer) => (output += text.toString()))
    // Its output may be read after its exit.
    return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) }
  }

  /** Starts an instance, and waits until it is ready, or was killed before. */
  async instance(
    build: string,
    env: Record<string, string> = {},
    args: readonly string[] = [],
  ): Promise<InstanceProcess> {
    const instance = this.run(['start', build, '--cluster', this.redis.url, ...args], env)
    this.instances.push(instance)
    const { child } = instance
    const isOver = () => child.exitCode !== null || child.signalCode !== null
    await this.until(() => instance.output().includes('is ready') || isOver())
    if (child.exitCode !== null) throw new Error(`the instance ended: ${instance.output()}`)
    return instance
  }

  get leader(): InstanceProcess {
    const leads = this.instances.filter(
      ({ child, output }) => child.exitCode === null && output().includes('this instance is the leader'),
    )
    return leads.at(-1)!
  }

  /** The process that continues the only durable run. */
  async owner(): Promise<InstanceProcess> {
    const me = await fetch(`${this.service.base_url}/me`, { headers: { authorization: `Bot ${token}` } })
    const { id } = (await me.json()) as { id: string }
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    await using link = await RedisLink.open({ url: this.redis.url, log, clock: systemClock, name: 'test' })
    const { state } = keysOf(this.service.base_url, id)
    let machine: string | undefined
    await this.until(async () => {
      const [name] = await link.redis.zrangebylex(state.names, '[run:head:', '(run:head;')
      const text = name === undefined ? null : await link.redis.get(state.value + name)
      machine = /"machine":"([^"]+)"/.exec(text ?? '')?.[1]
      return machine !== undefined
    })
    return this.instances.find(({ child }) => machine!.includes(`-${child.pid}-`))!
  }

  channel(name: string): string {
    return this.service.world.servers['Workshop']!.channels[name]!
  }

  /** The people's API as one of the people of the world. */
  person(name = 'ann'): PeopleClient {
    const { token } = this.service.world.people[name]!
    return connectPeople(() => ({ origin: this.service.url, token }))
  }

  async says(content: string, channel = 'general'): Promise<void> {
    await this.person().messages.create({ channel_id: this.channel(channel), content })
  }

  async messages(channel = 'general'): Promise<SeenMessage[]> {
    return (await this.person().messages.list({ channel_id: this.channel(channel), limit: 100 })).messages
  }

  async texts(channel = 'general'): Promise<string[]> {
    return (await this.messages(channel)).map(({ content }) => content)
  }

  /** The calls of the bot that the service has answered, in their order. */
  async calls(method: string, path: RegExp): Promise<{ path: string; status: number; body?: unknown }[]> {
    const answer = await fetch(`${this.service.url}/controls/v1/journal`)
    const { calls } = (await answer.json()) as { calls: { method: string; path: string; status: number }[] }
    return calls.filter((call) => call.method === method && path.test(call.path))
  }

  /** Makes the next `times` answers to these calls fail; 0 stops it. */
  async fails(method: string, path: string, times: number): Promise<void> {
    const url = `${this.service.url}/controls/v1/faults`
    const body = JSON.stringify({ method, path, times, then: { status: 503, body: { error: 'the test says so' } } })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, times === 0 ? { method: 'DELETE' } : { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(await answer.text())
  }

  /** Clicks the first button of this message, each time as another person (§8: 5 clicks in 10 s). Resolves with how to look at the click. */
  async clicks(message: SeenMessage, channel = 'general'): Promise<() => Promise<string>> {
    const custom_id = message.components[0]!.components[0]!.custom_id!
    const who = people[this.#clicks++ % people.length]!
    const { interaction_id } = await this.person(who).clicks.create({
      channel_id: this.channel(channel),
      message_id: message.id,
      custom_id,
    })
    return async () => (await this.person(who).clicks.get({ interaction_id })).state
  }

  /** The messages with a button, once there are that many. */
  async buttons(count: number, channel = 'general'): Promise<SeenMessage[]> {
    const found = async () => (await this.messages(channel)).filter(({ components }) => components.length > 0)
    await this.until(async () => (await found()).length >= count)
    return found()
  }

  /** The lines that handlers have written with `note`. */
  notes(): string[] {
    const file = join(this.root, 'notes.txt')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  }

  /** Code that defines `note(text)` for a handler. */
  get note(): string {
    const file = JSON.stringify(join(this.root, 'notes.txt'))
    return `import { appendFileSync } from 'node:fs'; const note = (text) => appendFileSync(${file}, text + '\\n');\n`
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const options = { timeout: 60_000, interval: 20 }
    await vi
      .waitUntil(async () => holds(), options)
      .catch((error: Error) => {
        const outputs = this.instances.map(({ child, output }) => `${child.pid}: ${output().slice(-4000)}`)
        throw new Error(`${error.message} ${String(holds)}\n${this.notes().join('\n')}\n${outputs.join('\n')}`)
      })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.instances) child.kill('SIGKILL')
    await Promise.all(this.instances.map(({ ended }) => ended))
    await this.service.close()
    await this.redis[Symbol.asyncDispose]()
    rmSync(this.root, { recursive: true, force: true })
  }
}
