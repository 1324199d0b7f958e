import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BotCopy, compileBeside, compileBot } from '@botwright/dev/compile'
import type { Clock } from '@botwright/clock'
import { type Config, type Definition, readConfig } from '@botwright/framework'
import { type RunningBot, startBot, type StartBotOptions } from '@botwright/framework/start'
import { readWorld, type RunningWorld, type World } from '@botwright/service'
import { giveEnv } from '../../bot-env.ts'
import { learn, sourceOf } from '../../known-code.ts'
import { worldOf } from '../../world.ts'
import type { Stage } from './cases/case-of.ts'
import { type Invariant, type SimulationSettings, takeDeclarations } from './invariants.ts'
import { Places } from './places.ts'
import { placesIn, playWorld } from './play-world.ts'
import { wordsOf } from './values.ts'

const NAME = 'bot'
/** Copies that are kept until they are removed together: coverage is taken then, which takes a while. */
const MANY_COPIES = 16
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** The files of the author's declarations. */
const declarations = ['simulate.ts', 'simulate.mts', 'simulate.js', 'simulate.mjs']

/** The options of one process of the bot. */
export type Ports = Omit<
  StartBotOptions,
  'source' | 'config' | 'token' | 'dispatcher' | 'stateDir' | 'lockFolder' | 'clock'
> & {
  clock: Clock
  store: NonNullable<Config['store']>
}

/** The bot of a folder, ready to be played. */
export class PlayBot {
  readonly root: string
  readonly places: Places
  invariants: Invariant[] = []
  settings: SimulationSettings = {}
  definitions: readonly Definition[] = []
  /** The bot's name in its world. */
  username = NAME
  token = ''
  world: World
  /** Called before copies are removed. */
  onRemove: (() => Promise<void>) | undefined
  readonly #copies: BotCopy[] = []
  #names = new Map<string, string>()
  #releaseEnv = () => {}

  private constructor(root: string) {
    this.root = root
    this.places = new Places(root)
    this.world = playWorld([], NAME)
  }

  /** Reads the declarations of the author. */
  static async open(root: string, { env = {} }: { env?: Readonly<Record<string, string>> } = {}): Promise<PlayBot> {
    const bot = new PlayBot(root)
    const file = declarations.find((name) => existsSync(join(root, name)))
    if (file !== undefined) {
      const module = await compileBeside(root, file)
      try {
        takeDeclarations()
        await import(/* @vite-ignore */ pathToFileURL(module.path).href)
        Object.assign(bot, takeDeclarations())
      } finally {
        module.remove()
      }
    }
    bot.#releaseEnv = giveEnv(root, { ...env, ...bot.settings.env })
    bot.#enter()
    return bot
  }

  /** The world, once the guards of the bot are known. */
  learned(definitions: readonly Definition[]): void {
    if (this.definitions.length > 0) return
    this.definitions = definitions
    this.#enter()
  }

  #enter(): void {
    const found = join(this.root, 'world.json')
    const own = existsSync(found) ? readWorld(found) : undefined
    const { world, token, username } = worldOf(this.settings.world ?? own ?? playWorld(this.definitions, NAME))
    Object.assign(this, { world, token, username })
  }

  /** The names, places and commands for its people. */
  get stage(): Stage {
    const { people = [], servers = [] } = this.world
    const files = this.definitions.map(({ file }) => file)
    return {
      commands: this.definitions.filter(({ kind }) => kind === 'command'),
      says: this.settings.says ?? [],
      events: new Set(this.definitions.flatMap(({ kind, name }) => (kind === 'event' ? [name] : []))),
      places: placesIn(this.world),
      known: {
        people: people.map(({ username }) => username),
        roles: servers.flatMap(({ roles = [] }) => roles.map(({ name }) => name)),
        channels: servers.flatMap(({ channels = [] }) => channels.map(({ name }) => name)),
        words: wordsOf(files.map((file) => this.places.lines(file).join('\n'))),
      },
    }
  }

  /** Remembers who has which id. */
  names({ people }: RunningWorld, botId: string): void {
    this.#names = new Map([
      ...Object.entries(people).map(([name, { id }]) => [id, name] as const),
      [botId, this.username],
    ])
  }

  /** A text in which names stand for ids. */
  readable(text: string): string {
    return text.replace(uuid, (id) => this.#names.get(id) ?? '<id>')
  }

  /** The files of the handlers, and those beside them. */
  get files(): string[] {
    const lib = existsSync(join(this.root, 'lib'))
      ? readdirSync(join(this.root, 'lib'), { recursive: true }).map(
          (name) => `lib/${String(name).replaceAll('\\', '/')}`,
        )
      : []
    return [...this.definitions.map(({ file }) => file), ...lib]
  }

  /** The file of the command that a text starts. */
  fileOf(text: string): string | undefined {
    const words = /^[/!](.*)$/s.exec(text)?.[1]?.split(/\s+/) ?? []
    const fits = ({ name, aliases = [] }: Definition) => {
      const own = name.split(' ')
      return own.every((word, i) => word === words[i] || (i === own.length - 1 && aliases.includes(words[i] ?? '')))
    }
    const commands = this.definitions.filter((one) => one.kind === 'command' && fits(one))
    return commands.sort((a, b) => b.name.length - a.name.length)[0]?.file
  }

  /** Starts a process with a copy of the code, so that it has module variables of its own. */
  async start({ store, ...ports }: Ports): Promise<RunningBot> {
    const copy = await compileBot(this.root)
    this.#copies.push(copy)
    const configModule =
      copy.configPath && ((await import(pathToFileURL(copy.configPath).href)) as { default?: unknown })
    const { health: _, ...config } = await readConfig(
      configModule ? configModule.default : undefined,
      'bot.config.ts',
      process.env,
    )
    const running = await startBot({
      ...ports,
      source: sourceOf(copy),
      // A production bot would have its own: the values of a play end with it.
      config: { ...config, store, delivery: 'poll', http: false },
      token: this.token,
      // Without a folder, nothing is recorded, but calls remember their line.
      stateDir: ':memory:',
      record: true,
      lockFolder: false,
      dispatcher: 'inline',
    })
    learn(copy, running.code.definitions)
    this.learned(running.code.definitions)
    return running
  }

  /** A play has ended: nothing loads its copies now. */
  async endPlay(): Promise<void> {
    if (this.#copies.length >= MANY_COPIES) await this.removeCopies()
  }

  async removeCopies(): Promise<void> {
    await this.onRemove?.()
    await Promise.all(this.#copies.splice(0).map((copy) => copy.remove()))
  }

  close(): void {
    this.#releaseEnv()
  }
}
