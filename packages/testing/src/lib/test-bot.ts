import { VirtualClock } from '@botwright/clock'
import { build } from '@botwright/dev'
import { readConfig } from '@botwright/framework'
import { createLog, readBuild, startBot, type RunningBot } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol'
import { defaultWorld, startService, type Service, type World } from '@botwright/service'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Person } from './person.ts'

const BOT = 'bot'
const TOKEN = 'test-token-of-the-bot'

export interface TestBotOptions {
  /** Instead of the default world (the server "Workshop" with #general, #random, #staff; ann, bob and carol). Its first bot is the one that runs. */
  world?: World
}

/** A built bot on a service in memory, both on one clock that stands still until it is advanced. */
export class TestBot implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly service: Service
  /** The lines that the bot has logged, as JSON. */
  readonly log: string[]
  readonly #folder: string
  readonly #start: () => Promise<RunningBot>
  #bot: RunningBot

  private constructor(parts: {
    clock: VirtualClock
    service: Service
    log: string[]
    folder: string
    start: () => Promise<RunningBot>
    bot: RunningBot
  }) {
    this.clock = parts.clock
    this.service = parts.service
    this.log = parts.log
    this.#folder = parts.folder
    this.#start = parts.start
    this.#bot = parts.bot
  }

  /** @internal */
  static async open(root: string, options: TestBotOptions): Promise<TestBot> {
    const { world, token } = withToken(options.world ?? defaultWorld(BOT, TOKEN))
    await mkdir(join(root, '.botwright'), { recursive: true })
    // Inside the bot's folder, so that its modules find its packages.
    const folder = await mkdtemp(join(root, '.botwright', 'test-'))
    try {
      await build(root, join(folder, 'build'))
      const { source, configPath } = readBuild(join(folder, 'build'), root)
      const configModule = configPath && ((await import(pathToFileURL(configPath).href)) as { default?: unknown })
      const exported = configModule ? configModule.default : undefined
      const config = await readConfig(exported, 'bot.config.ts', process.env)
      const clock = new VirtualClock(Date.now())
      const log: string[] = []
      const service = await startService({ port: 0, world, clock, controls: true })
      const start = () =>
        startBot({
          source,
          config,
          clock,
          token,
          baseUrl: service.base_url,
          stateDir: join(folder, 'state'),
          log: createLog({ secrets: [token], write: (line) => log.push(line) }),
        })
      return new TestBot({ clock, service, log, folder, start, bot: await start() })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** A person of the world, or a new one who joins its first server. */
  async person(username: string): Promise<Person> {
    const person = await Person.signIn(this.service.url, username, () => this.#whySilent())
    const { servers } = await person.call<{ servers: unknown[] }>('GET', '/me')
    const [first] = Object.values(this.service.world.servers)
    if (servers.length === 0 && first) await person.call('PUT', `/servers/${first.id}/members/me`)
    return person
  }

  /** Stops the bot as SIGTERM does, and starts it again on the same journal. */
  async restartBot(): Promise<void> {
    await this.#bot.stop()
    this.#bot = await this.#start()
  }

  /** What keeps the bot from answering, where its log tells. */
  #whySilent(): string | undefined {
    if (!this.log.some((line) => line.includes('"budget-used-up"'))) return undefined
    return 'the message budget is used up, and time stands still in a test: chat.clock.advance(61_000) frees it'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Time stands still: what waits for it would wait for ever.
    await this.#bot.stop({ graceMs: 0 })
    await this.service.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The first bot of a world is the one that runs. */
function withToken(world: World): { world: World; token: string } {
  const [first, ...others] = world.bots ?? []
  if (first === undefined)
    throw new BotwrightError('ERR_WORLD', 'bots: the world needs the bot that runs, as its first')
  const token = first.token ?? TOKEN
  return { world: { ...world, bots: [{ ...first, token }, ...others] }, token }
}

/**
 * Builds the bot of a folder as `framework build` does and runs it on the local service, in memory.
 * `root`: the bot's folder, as a path or a file URL. Throws what `framework build` and `framework start` would report.
 */
export function startTestBot(root: string | URL, options: TestBotOptions = {}): Promise<TestBot> {
  const path = root instanceof URL ? fileURLToPath(root) : root.startsWith('file:') ? fileURLToPath(root) : root
  return TestBot.open(path.replace(/\/$/, ''), options)
}
