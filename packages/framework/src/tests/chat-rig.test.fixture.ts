import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Clock, sleep, systemClock } from '@botwright/clock'
import { type Service, startService } from '@botwright/service'
import { connectPeople, type PeopleClient } from '@botwright/service/people'
import type { ConfigInput } from '../author/config/config.ts'
import { readConfig } from '../runtime/config/read-config.ts'
import type { EntryKind } from '../author/files/entries.ts'
import { entryOf } from '../author/files/file-name.ts'
import type { Log } from '../author/ports.ts'
import type { RunningBot, StartBotOptions } from '../runtime/ports/running-bot.ts'
import { startBot } from '../runtime/start/start-bot.ts'

const folders = { commands: 'command', buttons: 'button', events: 'event', tasks: 'task', state: 'state' } as const
export const token = 'token-of-worker'
/** Longer than any condition takes on a busy machine. */
const UNTIL_MS = 60_000

/** A real local service with one server, people and a bot, and a folder of handlers written by the test. */
export class ChatRig implements AsyncDisposable {
  readonly service: Service
  readonly root = mkdtempSync(join(tmpdir(), 'botwright-supervisor-'))
  readonly lines: { level: string; facts: object; message: string }[] = []
  #bot: RunningBot | undefined
  #build = 0

  constructor(service: Service) {
    this.service = service
  }

  static async start(
    people: string[] = ['ann'],
    { port = 0, clock }: { port?: number; clock?: Clock } = {},
  ): Promise<ChatRig> {
    const names = ['general', 'random', ...Array.from({ length: 20 }, (_, i) => `c${i}`)]
    const service = await startService({
      port,
      ...(clock && { clock }),
      controls: true,
      world: {
        people: people.map((username) => ({ username })),
        bots: [{ username: 'helper', owner: people[0]!, token }],
        servers: [
          {
            name: 'Workshop',
            owner: people[0]!,
            members: people.slice(1),
            bots: ['helper'],
            channels: names.map((name) => ({ name })),
          },
        ],
      },
    })
    return new ChatRig(service)
  }

  /** Writes handlers, such as `{ 'commands/ping.ts': '…JavaScript…' }`, and returns their source. */
  source(files: Record<string, string>) {
    const folder = join(this.root, `build-${++this.#build}`)
    const modules: Record<string, string> = {}
    const entries = Object.entries(files).map(([file, text]) => {
      const path = join(folder, file.replace(/\.ts$/, '.mjs'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      modules[file] = path
      if (/(^|\/)middleware\.ts$/.test(file))
        return { kind: 'middleware' as const, name: file.replace(/\/?middleware\.ts$/, ''), file }
      const [top = '', ...rest] = file.replace(/\.ts$/, '').split('/')
      if (top === 'routes' || top === 'events' || top === 'resources') return entryOf(file)!
      const kind: EntryKind = folders[top as keyof typeof folders]
      return { kind, name: rest.join(kind === 'command' ? ' ' : '/'), file }
    })
    return { manifest: { entries }, root: this.root, modules }
  }

  async startBot(
    files: Record<string, string>,
    {
      config = {},
      variables,
      ...options
    }: Partial<Omit<StartBotOptions, 'config'>> & { config?: ConfigInput; variables?: Record<string, string> } = {},
  ): Promise<RunningBot> {
    const write = (level: string) => (facts: object, message: string) => void this.lines.push({ level, facts, message })
    const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
    this.#bot = await startBot({
      source: this.source(files),
      config: await readConfig(config, 'bot.config.ts', variables),
      baseUrl: this.service.base_url,
      token,
      log,
      ...options,
    })
    return this.#bot
  }

  channel(name: string): string {
    return this.service.world.servers['Workshop']!.channels[name]!
  }

  /** The people's API as one of the people of the world. */
  person(name: string): PeopleClient {
    const { token } = this.service.world.people[name]!
    return connectPeople(() => ({ origin: this.service.url, token }))
  }

  async says(name: string, content: string, channel = 'general'): Promise<void> {
    await this.person(name).messages.create({ channel_id: this.channel(channel), content })
  }

  /** The texts in a channel, oldest first. */
  async texts(channel = 'general'): Promise<string[]> {
    const { messages } = await this.person('ann').messages.list({ channel_id: this.channel(channel), limit: 100 })
    return messages.map((message) => message.content)
  }

  /** Clicks the first button in a channel, once there is one. */
  async clicks(channel = 'general', who = 'ann'): Promise<void> {
    const channel_id = this.channel(channel)
    const withButton = async () =>
      (await this.person('ann').messages.list({ channel_id })).messages.find(({ components }) => components.length > 0)
    await this.until(async () => (await withButton()) !== undefined)
    const { id, components } = (await withButton())!
    const custom_id = components[0]!.components[0]!.custom_id!
    await this.person(who).clicks.create({ channel_id, message_id: id, custom_id })
  }

  /** Makes the next response to such a call fail or arrive late. */
  async fault(method: string, path: string, rest: { then: unknown; seconds?: number; times?: number }): Promise<void> {
    const answer = await fetch(`${this.service.url}/controls/v1/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method, path, ...rest }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }

  /** The bot's calls that the service has answered, in order. */
  async calls(method: string, path: RegExp): Promise<{ path: string; status: number; body?: unknown }[]> {
    const answer = await fetch(`${this.service.url}/controls/v1/journal`)
    const { calls } = (await answer.json()) as { calls: { method: string; path: string; status: number }[] }
    return calls.filter((call) => call.method === method && path.test(call.path))
  }

  /** The answers to clicks, in order. */
  async callbacks(): Promise<string[]> {
    return (await this.calls('POST', /\/callback$/)).map(({ body }) => (body as { type: string }).type)
  }

  logged(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message)
  }

  read(file: string): string[] {
    return readFileSync(join(this.root, file), 'utf8').split('\n').filter(Boolean)
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const startMs = performance.now()
    while (!(await holds())) {
      const waitedMs = performance.now() - startMs
      if (waitedMs > UNTIL_MS) {
        const lines = this.lines.map(({ level, message }) => `${level} ${message}`).join('\n')
        throw new Error(`not true after ${UNTIL_MS / 1000} s: ${String(holds)}\n${lines}`)
      }
      // Most conditions ask the service: the longer one has waited, the less often.
      await sleep(systemClock, Math.min(10 + waitedMs / 10, 100))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bot?.stop({ graceMs: 0 })
    await this.service.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}
