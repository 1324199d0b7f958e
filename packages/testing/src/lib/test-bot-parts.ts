import { compileBot, type BotCopy } from '@botwright/dev/compile'
import { readConfig, type Config, type Outcome, type StateStore } from '@botwright/framework'
import { createLog, MemoryStore, startBot, type RunningBot } from '@botwright/framework/start'
import { type Delivery, type EventKey, eventKey } from '@botwright/events'
import type { EndpointName } from '@botwright/protocol'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'
import { startService, type Service } from '@botwright/service'
import { pathToFileURL } from 'node:url'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnWork, watchWork } from './own-work.ts'
import type { CrashPoint } from './crashes.ts'
import { giveEnv } from './bot-env.ts'
import { HandlerError } from './handler-error.ts'
import { forThreads, learn, sourceOf } from './known-code.ts'
import { Stage } from './people/stage.ts'
import { envOf, type LogLine, type TestBotOptions } from './test-bot-options.ts'
import { TestClock } from './test-clock.ts'
import { Trace } from './trace.ts'
import { whySilent } from './why-silent.ts'
import { worldOf } from './world.ts'

export interface Running {
  bot: RunningBot
  config: Config
  copy: BotCopy
}

/** In memory if the machine has such a folder: a database in a file waits for the disk, but a restart needs a file. */
const temporary = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The service, the clock and the stored state around the bot of a test. They outlive its restarts. */
export class TestBotParts {
  readonly clock: TestClock
  readonly service: Service
  readonly stage: Stage
  readonly work: OwnWork
  readonly log: LogLine[] = []
  readonly owner: string
  readonly trace: Trace | undefined
  /** Called when the bot crashes. */
  crashed: () => void = () => {}
  /** Called with each call of the bot. */
  called: (endpoint: EndpointName) => void = () => {}
  readonly #root: string
  readonly #options: TestBotOptions
  readonly #point: CrashPoint | undefined
  readonly #token: string
  readonly #stateDir: string
  readonly #releases: (() => unknown)[]
  readonly #activity: ReturnType<typeof watchWork>['activity']
  /** It outlives a restart of the bot, as a file would, and opens in no time. */
  readonly #values: MemoryStore
  #store: StateStore
  /** The subjects of the last deliveries, for their handlers' errors. */
  readonly #about = new Map<EventKey, unknown>()

  /** `point`: where the bot crashes. */
  static async open(root: string, options: TestBotOptions, point?: CrashPoint): Promise<TestBotParts> {
    const given = worldOf(options.world)
    const clock = new TestClock(new Date(options.now ?? Date.now()).getTime())
    const service = await startService({ port: 0, world: given.world, clock, controls: true })
    const stateDir = mkdtempSync(join(temporary, 'botwright-test-'))
    const releases: (() => unknown)[] = [
      () => rmSync(stateDir, { recursive: true, force: true }),
      () => service.close(),
    ]
    try {
      releases.unshift(giveEnv(root, envOf(options, service.world)))
      const trace = options.trace === 'on-failure' ? await Trace.open(root, stateDir) : undefined
      trace?.watch()
      return new TestBotParts(root, options, { ...given, clock, service, stateDir, releases, trace, point })
    } catch (error) {
      await releaseAll(releases)
      throw error
    }
  }

  private constructor(
    root: string,
    options: TestBotOptions,
    opened: ReturnType<typeof worldOf> & {
      clock: TestClock
      service: Service
      stateDir: string
      releases: (() => unknown)[]
      trace: Trace | undefined
      point: CrashPoint | undefined
    },
  ) {
    const { clock, service } = opened
    this.#root = root
    this.#options = options
    this.#point = opened.point
    this.#token = opened.token
    this.#stateDir = opened.stateDir
    this.#releases = opened.releases
    this.clock = clock
    this.service = service
    this.trace = opened.trace
    this.owner = opened.world.servers?.[0]?.owner ?? ''
    this.#store = this.#values = new MemoryStore(clock)
    const botId = service.world.bots[opened.username]!.id
    const { work, activity, unwatch } = watchWork(service, botId, { workers: options.workers === true })
    this.#releases.push(unwatch)
    this.work = work
    this.#activity = activity
    this.stage = new Stage({
      ...{ service, botId, activity },
      why: () => whySilent(this.log),
      stillRuns: () => work.stillRuns(),
      acted: () => this.trace?.watch(),
    })
    this.#driveClock()
  }

  /** The store of the bot's values. */
  get store(): StateStore {
    return this.#store
  }

  /** Starts the bot. */
  async start(): Promise<Running> {
    const [options, work, clock] = [this.#options, this.work, this.clock]
    const copy = await compileBot(this.#root)
    const configModule =
      copy.configPath && ((await import(pathToFileURL(copy.configPath).href)) as { default?: unknown })
    const given = configModule ? configModule.default : undefined
    const config = await readConfig(given, 'bot.config.ts', process.env).catch(inTests)
    // A test receives no webhooks and needs no health endpoint.
    const { health: _, ...kept } = config
    const loading = (loaded: Promise<unknown>) => this.#loads(loaded)
    const bot = await startBot({
      source: options.workers === true ? forThreads(sourceOf(copy)) : { ...sourceOf(copy), loading },
      config: {
        ...kept,
        ...(this.trace && { record: true }),
        store: async (given) => (this.#store = this.#crashing((await kept.store?.(given)) ?? this.#values)),
        delivery: 'poll',
        http: false,
      },
      clock,
      token: this.#token,
      baseUrl: this.service.base_url,
      stateDir: this.#stateDir,
      lockFolder: false,
      dispatcher: options.workers === true ? 'worker' : 'inline',
      log: createLog({
        level: options.logLevel ?? 'debug',
        secrets: [this.#token],
        clock,
        write: (line) => this.log.push(JSON.parse(line) as LogLine),
      }),
      observer: { received: (delivery) => this.#received(delivery), outcome: (outcome) => this.#ended(outcome) },
      holdPoll: () => work.holdPoll(),
      traffic: (endpoint, change) => {
        work.traffic(endpoint, change)
        if (change > 0 && endpoint !== 'events.list') this.called(endpoint as EndpointName)
        this.#activity.touch()
      },
      delay: (what) => work.delay(what),
    })
    learn(copy, bot.code.definitions)
    work.running = bot
    work.start()
    await this.#activity.sent()
    return { bot, copy, config }
  }

  /** Closes the service, and removes the files that the test bot has created. */
  release(): Promise<void> {
    return releaseAll(this.#releases)
  }

  /** The clock advances only while the bot has nothing to do. */
  #driveClock(): void {
    const activity = this.#activity
    this.clock.drive({
      before: () => {
        activity.advances(1)
        return activity.begun()
      },
      begin: () => this.work.leap(),
      between: () => activity.sent(),
      moved: () => activity.advances(-1),
      after: () => this.stage.settled(),
    })
  }

  #crashing(base: StateStore): StateStore {
    return this.#point?.storeOf(base, () => this.crashed()) ?? base
  }

  #loads(loaded: Promise<unknown>): void {
    this.work.loads(1)
    const end = () => (this.work.loads(-1), this.#activity.touch())
    // The code that loads it reports the error.
    loaded.then(end, end)
  }

  #received({ event }: Delivery): void {
    this.#about.set(eventKey(event), event.data['id'])
    this.work.hear(event)
    this.#activity.touch()
  }

  #ended({ file, error, eventId, result, again }: Outcome): void {
    // The clock may advance further than a handler's time limit: the awaited answers arrive all the same. A task or a request may run `again`.
    if (error && result === 'error' && !again)
      this.stage.failures.push({ error: new HandlerError(file ?? error.at, error), about: this.#about.get(eventId) })
    this.#about.delete(eventId)
    this.work.ends()
    this.#activity.touch()
  }
}

/** The error of a variable that is not set names the file of the other commands, `.env`. Rethrows it with the fix for tests. */
function inTests(error: unknown): never {
  const name = isBotwrightError(error) && /^(\w+) is not set/m.exec(error.message)?.[1]
  if (!name) throw error
  const fix = `in a test, pass it to startTestBot: { env: { ${name}: '…' } }`
  throw new BotwrightError(error.code, `${error.message}\n${fix}`, { cause: error })
}

async function releaseAll(releases: (() => unknown)[]): Promise<void> {
  for (const release of releases.splice(0).reverse()) await release()
}
