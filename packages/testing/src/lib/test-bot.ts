import { compileBot, type BotCopy } from '@botwright/dev/compile'
import { readConfig, type Outcome, type StateStore } from '@botwright/framework'
import { createLog, MemoryStore, startBot, type RunningBot } from '@botwright/framework/start'
import type { BotEvent } from '@botwright/events'
import { startService, type RunningWorld, type Service, type World } from '@botwright/service'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Activity, FAR_QUIET_MS, OwnWork } from './activity.ts'
import { giveEnv } from './bot-env.ts'
import { type Span, spanMs } from './duration.ts'
import { control, type FaultOptions, setFault } from './faults.ts'
import { HandlerError } from './handler-error.ts'
import { forThreads, learn, sourceOf } from './known-code.ts'
import { type Member, memberOf } from './member.ts'
import { Person } from './person.ts'
import { Stage } from './stage.ts'
import { TestState } from './test-state.ts'
import { TestClock } from './test-clock.ts'
import { worldOf } from './world.ts'

/** The world, the time and the variables that a bot is tested with. */
export interface TestBotOptions {
  /**
   * Instead of the default world: the server "Workshop" with #general, #random, a private #staff and the voice channel Lounge; ann, who
   * owns it, bob and carol. Its first bot is the one that runs; where it names none, a bot called `bot` is added to all servers.
   */
  world?: World
  /** Environment variables for the bot, beside those of its `.env`. They stand in `process.env` while it runs. */
  env?: Readonly<Record<string, string>>
  /** What time it is at the start: `'2026-03-01T08:00:00Z'`. The machine's own time unless told. */
  now?: string | number | Date
  /** Runs handlers in threads, as `framework start` does. What a handler itself reads of the time is then the machine's. */
  workers?: boolean
  /** From which level on `chat.log` holds lines; `debug` unless told. */
  logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error'
}

/** How a test bot is restarted. */
export interface RestartOptions {
  /** How long it is down: `'2h'`, `{ days: 2 }`; a tenth of a second unless told. */
  after?: Span
  /** What people do when it has just gone down: `() => ann.posts('/remind me')`. It hears of it when it is back. */
  meanwhile?: () => unknown
}

/** One line of the bot's log. */
export interface LogLine {
  level: string
  msg: string
  /** When, by `chat.clock`. */
  time: string
  [fact: string]: unknown
}

/** A call that the bot made, with the service's answer. Tokens are hidden. */
export interface BotCall {
  method: string
  path: string
  body?: unknown
  status: number
  answer: unknown
}

interface Parts {
  clock: TestClock
  service: Service
  stage: Stage
  work: OwnWork
  log: LogLine[]
  owner: string
  /** Where the bot keeps its values. */
  store: () => StateStore
  start: () => Promise<Running>
  /** Takes away what the test bot has put beside itself. */
  release: () => Promise<void>
}

interface Running {
  bot: RunningBot
  copy: BotCopy
}

/** A bot on a service in memory, both in this process and on one clock, which stands still until it is advanced. */
export class TestBot implements AsyncDisposable {
  readonly #parts: Parts
  #running: Running

  private constructor(parts: Parts, running: Running) {
    this.#parts = parts
    this.#running = running
  }

  /** @internal */
  static async open(root: string, options: TestBotOptions): Promise<TestBot> {
    const parts = await prepare(root, options)
    try {
      return new TestBot(parts, await parts.start())
    } catch (error) {
      await parts.release()
      throw error
    }
  }

  /** The one clock: `await chat.clock.advance({ minutes: 16 })`. */
  get clock(): TestClock {
    return this.#parts.clock
  }
  /** The local chat service. */
  get service(): Service {
    return this.#parts.service
  }
  /** Ids by name, as the service started: `chat.world.servers.Workshop.channels.general`. */
  get world(): RunningWorld {
    return this.#parts.service.world
  }
  /** What the bot keeps: for a test that begins with values of an older version, or looks at what was written. */
  get state(): TestState {
    return new TestState(this.#parts.store(), this.#running.bot.code.definitions)
  }
  /** What the bot has logged so far. */
  get log(): readonly LogLine[] {
    return this.#parts.log
  }
  /** The bot's own profile. */
  get bot(): RunningBot['me'] {
    return this.#running.bot.me
  }

  /** A person of the world, or a newcomer, who joins the first server before doing anything else. Needs no `await`. */
  person(username: string): Person {
    return new Person(this.#parts.stage, username)
  }

  /**
   * Resolves when the bot has nothing to do: no event is on its way to it, no handler runs, no call is open. A handler that waits for the
   * clock or for a person is not waited for. Throws the `HandlerError` of a handler that failed and that no step of the test has thrown.
   */
  settled(): Promise<void> {
    return this.#parts.stage.settled()
  }

  /** Makes the service's next answers to the bot go wrong or come late: `{ endpoint: 'messages.create', status: 503, times: 2 }`. */
  faults(options: FaultOptions): Promise<void> {
    return setFault(this.#parts.service, options)
  }

  /** Takes back the faults that have not happened yet. */
  async clearFaults(): Promise<void> {
    await control(this.#parts.service, 'DELETE', 'faults')
  }

  /** What the bot has called, in order, without its polls. */
  async calls(): Promise<BotCall[]> {
    const { calls } = await control<{ calls: BotCall[] }>(this.#parts.service, 'GET', 'journal')
    return calls.filter(({ path, method }) => method !== 'GET' || !path.startsWith('/v1/events'))
  }

  /** A member of a server (the first one unless told), with the names of its roles. Undefined when there is none of that name. */
  member(username: string, server?: string): Promise<Member | undefined> {
    return memberOf(this.#parts.stage, { owner: this.#parts.owner, username, server })
  }

  /**
   * Stops the bot, and starts it again on what it has kept: what its modules hold in memory is gone, as after a real restart.
   * It takes half a second of the clock, in which the bot tells people what it has lost; `{ after: '2h' }` leaves it down for so long.
   * Resolves when it has dealt with what it missed.
   */
  async restartBot({ after, meanwhile }: RestartOptions = {}): Promise<void> {
    const downMs = after === undefined ? DOWN_MS : spanMs(after)
    const { stage, clock, start } = this.#parts
    await stage.activity.settled()
    await this.#stop()
    try {
      await meanwhile?.()
      await clock.advance(downMs)
    } finally {
      this.#running = await start()
    }
    await clock.advance(WARM_MS)
  }

  async #stop(): Promise<void> {
    this.#parts.work.stop()
    // Time stands still: a handler that waits for it would be waited for for ever.
    await this.#running.bot.stop({ graceMs: 0 })
    await this.#running.copy.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#stop()
    } finally {
      await this.#parts.release()
    }
  }
}

async function prepare(root: string, options: TestBotOptions): Promise<Parts> {
  const { world, token, username } = worldOf(options.world)
  const clock = new TestClock(new Date(options.now ?? Date.now()).getTime())
  const takeBackEnv = giveEnv(root, options.env ?? {})
  const stateDir = mkdtempSync(join(temporary, 'botwright-test-'))
  const log: LogLine[] = []
  // It outlives a restart of the bot, as a file would, and opens in no time.
  const values = new MemoryStore(clock)
  let store: StateStore = values
  const service = await startService({ port: 0, world, clock, controls: true })
  const botId = service.world.bots[username]!.id
  const work = new OwnWork(() => service.tap.bot(botId))
  const activity = new Activity(work, options.workers === true ? { quietMs: FAR_QUIET_MS } : {})
  service.tap.polls(botId, () => activity.touch())
  const stage = new Stage({ service, botId, activity, why: () => whySilent(log) })
  clock.drive({
    before: () => activity.begun(),
    begin: () => work.leap(),
    between: () => activity.sent(),
    after: () => stage.settled(),
  })
  const loading = (loaded: Promise<unknown>) => {
    work.loads(1)
    const end = () => {
      work.loads(-1)
      activity.touch()
    }
    // Whoever loads it tells what is wrong with it.
    loaded.then(end, end)
  }
  /** What the events of the last deliveries were about, for their handlers' errors. */
  const about = new Map<number, unknown>()
  const hear = (event: BotEvent) => {
    about.set(event.id, event.data['id'])
    work.hear(event)
    activity.touch()
  }
  const observe = ({ file, error, eventId, result }: Outcome) => {
    // A leap of the clock may well be longer than a handler has: what it waited for comes all the same.
    if (error && result === 'error')
      stage.failures.push({ error: new HandlerError(file ?? error.at, error), about: about.get(eventId) })
    about.delete(eventId)
    activity.touch()
  }
  const start = async (): Promise<Running> => {
    const copy = await compileBot(root)
    const configModule =
      copy.configPath && ((await import(pathToFileURL(copy.configPath).href)) as { default?: unknown })
    const config = await readConfig(configModule ? configModule.default : undefined, 'bot.config.ts', process.env)
    // Nobody can post to a test, nor ask after its health.
    const { health: _, ...kept } = config
    const bot = await startBot({
      source: options.workers === true ? forThreads(sourceOf(copy)) : { ...sourceOf(copy), loading },
      config: { ...kept, store: async (given) => (store = (await kept.store?.(given)) ?? values), delivery: 'poll' },
      clock,
      token,
      baseUrl: service.base_url,
      stateDir,
      lockFolder: false,
      dispatcher: options.workers === true ? 'worker' : 'inline',
      log: createLog({
        level: options.logLevel ?? 'debug',
        secrets: [token],
        clock,
        write: (line) => log.push(JSON.parse(line) as LogLine),
      }),
      hear,
      observe,
      holdPoll: () => work.holdPoll(),
      traffic: (endpoint, change) => {
        work.traffic(endpoint, change)
        activity.touch()
      },
    })
    learn(copy, bot.code.definitions)
    work.start()
    work.handlers = () => {
      const { waiting, running } = bot.stats()
      return waiting + running
    }
    await activity.sent()
    return { bot, copy }
  }
  const release = async () => {
    await service.close()
    takeBackEnv()
    rmSync(stateDir, { recursive: true, force: true })
  }
  return {
    clock,
    service,
    stage,
    work,
    log,
    store: () => store,
    owner: world.servers?.[0]?.owner ?? '',
    start,
    release,
  }
}

/** How long a restart takes: nothing of the former process is as young as the new one. */
const DOWN_MS = 100
/** By then the bot has done what can wait until it answers. */
const WARM_MS = 400

/** In memory where the machine has such a folder: a database in a file waits for the disk, and a restart wants a file. */
const temporary = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** What keeps the bot from answering, where its log tells. */
function whySilent(log: readonly LogLine[]): string | undefined {
  if (log.some(({ code }) => code === 'budget-used-up'))
    return 'the message budget is used up, and time does not pass in a test by itself: call await chat.clock.advance({ seconds: 61 })'
  const trouble = log.findLast(({ level }) => level === 'warn' || level === 'error')
  return trouble && `the last problem in its log: ${trouble.msg}`
}

/**
 * Runs the bot of a folder on the local service, in memory and in this process. `root`: the bot's folder, as a path or a file URL.
 * Throws what `framework dev` and `framework start` would report.
 */
export function startTestBot(root: string | URL, options: TestBotOptions = {}): Promise<TestBot> {
  const path = root instanceof URL ? fileURLToPath(root) : root.startsWith('file:') ? fileURLToPath(root) : root
  return TestBot.open(path.replace(/[\\/]$/, ''), options)
}
