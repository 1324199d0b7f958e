import { eventKey, type BotEvent } from '@botwright/events'
import { createLog, MemoryStore } from '@botwright/framework/start'
import { openService, type OpenService } from '@botwright/service'
import type { SeededRandom } from '@botwright/clock/simulated'
import { installGlobals } from '../globals.ts'
import { becomeIdle } from '../real.ts'
import { SimRecord } from '../record.ts'
import { isQuiet } from '../rules.ts'
import { SimDisk } from '../sim-disk.ts'
import { SimHost, SimProcess, serviceClock } from '../sim-host.ts'
import { networkOf } from '../sim-network.ts'
import { SimWorld } from '../sim-world.ts'
import { Supervisor } from '../supervisor.ts'
import type { PlayCase } from './cases/case.ts'
import { Crowd } from './crowd.ts'
import { FoundList } from './found.ts'
import { invariantsOf } from './check-invariants.ts'
import { ActRandom, installOwnGlobals } from './own-globals.ts'
import { notAwaited, type Place } from './places.ts'
import type { PlayBot } from './play-bot.ts'
import { PlayFaults } from './play-faults.ts'
import { placeOfError, storeOf } from './play-store.ts'
import { Windows } from './windows.ts'
import type { Played, Variant } from './played.ts'
import { watchOutcome } from './watch.ts'

const WARM_MS = 30_000
/** The default time of questions, and the time limits of handlers, have passed. */
const CALM_MS = 4 * 60_000
const LOOK_MS = 30_000
const DAY_MS = 26 * 3_600_000
const ORDER_MS = 5000
const MOST_LINES = 600
const starts = ['2026-01-15T12:00:00Z', '2026-03-28T22:52:00Z', '2026-10-24T22:52:00Z', '2026-06-30T21:50:00Z']

/** A source that always draws the same: calls take the same time. */
const constant = { int: () => 3, chance: () => false } as unknown as SeededRandom

/** Plays a case. */
export async function play(bot: PlayBot, one: PlayCase, variant: Variant = {}): Promise<Played> {
  await becomeIdle()
  return new Play(bot, one, variant).run()
}

interface Running {
  own: Supervisor
  crowd: Crowd
  faults: PlayFaults
  invariants: ReturnType<typeof invariantsOf>
}

/** One bot and the people of one case, in a world of their own. */
class Play {
  readonly #bot: PlayBot
  readonly #case: PlayCase
  readonly #variant: Variant
  readonly #world: SimWorld
  readonly #host: SimHost
  readonly #random: { acts: ActRandom; http: SeededRandom }
  readonly #outside: SimProcess
  readonly #service: OpenService
  readonly #disk = new SimDisk()
  readonly #values: MemoryStore
  readonly #found: FoundList
  readonly #played: Played
  readonly #restores: (() => void)[]
  #supervisor: Supervisor | undefined
  /** The number of the last act. */
  #act = -1
  /** The bot's code does not load. */
  #firstError: unknown

  constructor(bot: PlayBot, one: PlayCase, variant: Variant) {
    this.#bot = bot
    this.#case = one
    this.#variant = variant
    this.#world = new SimWorld(one.seed, { startMs: Date.parse(starts[one.seed % starts.length]!) })
    this.#host = new SimHost(this.#world)
    this.#random = {
      acts: new ActRandom(one.seed, variant.salt),
      http: one.mode === 'faults' ? this.#world.random.fork('http') : constant,
    }
    this.#outside = new SimProcess(this.#host, -1)
    this.#played = {
      found: [],
      windows: new Windows(one),
      lines: [],
      said: new Map(),
      ran: new Set(),
      refused: new Map(),
      restarted: [],
      localTime: new Map(),
    }
    this.#found = new FoundList(bot.places, () => ({ act: this.#act, lines: this.#played.lines.length }))
    this.#restores = this.#replaceGlobals()
    this.#service = openService({ world: bot.world, clock: serviceClock(this.#world) })
    this.#values = new MemoryStore(serviceClock(this.#world))
  }

  async run(): Promise<Played> {
    try {
      const running = await this.#open()
      await this.#perform(running)
      await this.#settle(running)
    } finally {
      await this.#close()
    }
    for (const { rule, text } of this.#world.violations) {
      const place = this.#bot.places.ofStack(text) ?? this.#played.windows.lastFile ?? { file: 'the bot' }
      const [fact = ''] = text.split('\n')
      this.#found.add(
        rule === 'errors' ? 'error' : 'hangs',
        place,
        fact.replace('thrown outside of a promise: Error', 'thrown where no handler catches it'),
      )
    }
    this.#played.found = this.#found.all
    return this.#played
  }

  /** Replaces what code of the bot takes from its process. Returns the functions that take it back. */
  #replaceGlobals(): (() => void)[] {
    const { acts } = this.#random
    const { localTime } = this.#played
    const { places, settings } = this.#bot
    const current = () => (this.#supervisor?.isUp ? this.#supervisor.process : this.#outside)
    const restore = installGlobals(this.#world, current, acts)
    const restoreOwn = installOwnGlobals({
      random: acts,
      fetch: settings.fetch,
      zone: this.#variant.zone ?? 'UTC',
      localTime:
        this.#variant.zone === undefined
          ? undefined
          : (stack) => {
              const place = places.ofStack(stack)
              if (place && !localTime.has(this.#act)) localTime.set(this.#act, place)
            },
    })
    const rejected = (reason: unknown) => this.#rejected(reason)
    process.on('unhandledRejection', rejected)
    return [() => process.off('unhandledRejection', rejected), restoreOwn, restore]
  }

  #note = (line: string): void => {
    const { lines } = this.#played
    if (lines.length < MOST_LINES) lines.push(`${clockText(this.#world.nowMs)} ${this.#bot.readable(line)}`)
  }

  /** The place of the newest handler with a call that it does not await; without one, of the handler that runs now. */
  #unawaited = (): Place | undefined => {
    const { places } = this.#bot
    const files = this.#case.acts.slice(0, this.#act + 1).map((_, index) => this.#fileOf(index))
    for (const file of files.toReversed()) {
      const place = file === undefined ? undefined : places.findAny(file, notAwaited)
      if (place) return place
    }
    const file = files.at(-1)
    return file === undefined ? undefined : places.withLine({ file })
  }

  /** The file that handles an act. */
  #fileOf(index: number): string | undefined {
    const act = this.#case.acts[index]
    return this.#played.windows.fileOf(index) ?? (act?.do === 'say' ? this.#bot.fileOf(act.text) : undefined)
  }

  #rejected(reason: unknown): void {
    const place =
      placeOfError(reason) ??
      (reason instanceof Error ? this.#bot.places.ofStack(reason.stack ?? '') : undefined) ??
      this.#unawaited()
    if (place && this.#supervisor?.isUp)
      this.#found.add('unawaited', place, `a promise that no code awaits was rejected: ${messageOf(reason)}`)
  }

  /** Starts the bot and lets the people come. */
  async #open(): Promise<Running> {
    const [bot, world, host, service] = [this.#bot, this.#world, this.#host, this.#service]
    const botId = service.world.bots[bot.username]!.id
    bot.names(service.world, botId)
    const crowd = new Crowd({ world, service, botId, note: this.#note })
    this.#played.said = crowd.said
    const own: Supervisor = new Supervisor(host, new SimRecord(), (process) => this.#start(process, faults, crowd))
    this.#supervisor = own
    const faults = new PlayFaults({
      ...{ world, host, crowd },
      supervisor: own,
      placeNow: this.#unawaited,
      channel: Object.values(Object.values(service.world.servers)[0]?.channels ?? {})[0] ?? '',
      note: this.#note,
    })
    const invariants = invariantsOf(bot, { crowd, values: this.#values, host, faults, found: this.#found })
    crowd.onAnswered = (click) => this.#played.windows.answered(click, { bot, crowd, found: this.#found })
    let isOpen = false
    void crowd.open().then(() => (isOpen = true))
    await world.run(0, () => isOpen)
    own.start()
    await world.run(WARM_MS, () => own.running !== undefined || this.#firstError !== undefined)
    if (this.#firstError !== undefined) throw this.#firstError as Error
    return { own, crowd, faults, invariants }
  }

  /** Starts the bot in a process. */
  async #start(process: SimProcess, faults: PlayFaults, crowd: Crowd) {
    const [bot, world, found, played] = [this.#bot, this.#world, this.#found, this.#played]
    const events = new Map<unknown, BotEvent>()
    const random = this.#random.http
    try {
      return await bot.start({
        clock: process,
        baseUrl: this.#service.base_url,
        openDatabase: (path) => this.#disk.open(path, process),
        store: () =>
          storeOf(this.#values, {
            ...{ places: bot.places, process, random },
            fateOf: (write) => faults.fateOfWrite(write),
            kill: () => faults.kill(),
          }),
        connect: networkOf({
          ...{ service: this.#service, process, random },
          fateOf: (request) => faults.fateOf(request),
          answered: ({ method, path, status = 0 }) => {
            if (method === 'POST' && path.endsWith('/messages') && status < 300) played.windows.sent(world.nowMs)
          },
          received: () => {},
        }),
        log: createLog({
          level: 'warn',
          clock: process,
          write: (text) => {
            if (process.alive) this.#logged(text)
          },
        }),
        holdPoll: () => faults.holdPoll(),
        observer: {
          received({ event }) {
            if (process.alive) events.set(eventKey(event), event)
          },
          outcome(outcome) {
            if (process.alive) watchOutcome(outcome, events.get(outcome.eventId), { bot, found, faults, played, crowd })
          },
        },
      })
    } catch (error) {
      if (bot.definitions.length === 0) this.#firstError ??= error
      if (process.alive && !faults.explains('http') && !faults.explains('store'))
        found.add(
          'error',
          bot.places.ofStack((error as Error).stack ?? '') ?? { file: 'the bot' },
          `the bot does not start: ${messageOf(error)}`,
        )
      throw error
    }
  }

  #logged(text: string): void {
    const { code, file, msg = '' } = JSON.parse(text) as { code?: string; file?: string; msg?: string }
    if (code !== 'ERR_HANDLER' || file === undefined || !msg.includes('no code awaits')) return
    const [, line] = /^[^\s:]+:(\d+): /.exec(msg) ?? []
    this.#found.add(
      'unawaited',
      { file, ...(line !== undefined && { line: Number(line) }) },
      msg.replace(/^[^\s:]+(?::\d+)?: /, ''),
    )
  }

  /** Lets the faults happen, and the people act. */
  async #perform({ own, crowd, faults, invariants }: Running): Promise<void> {
    const [one, variant, world] = [this.#case, this.#variant, this.#world]
    /** Leaps make everything after them later. */
    const late = (atMs: number) =>
      one.faults.reduce((sum, fault) => sum + (fault.kind === 'leap' && fault.atMs < atMs ? fault.forMs : 0), 0)
    const zeroMs = world.nowMs + 2000
    for (const fault of one.faults) world.timeline.at(zeroMs + fault.atMs + late(fault.atMs), () => faults.begin(fault))
    const acts = one.acts
      .map((each, index) => ({
        act: each,
        index,
        atMs: zeroMs + each.atMs + late(each.atMs) + lateByOrder(one, index, variant),
      }))
      .filter((each) => each.act.person !== variant.without)
      .sort((a, b) => a.atMs - b.atMs)
    for (const { act: each, index, atMs } of acts) {
      if (variant.restarts?.includes(index)) await this.#restart(own, index, atMs)
      await world.run(atMs - 1)
      await invariants.check(own.running)
      await world.run(atMs)
      this.#act = index
      this.#random.acts.beginAct(index)
      this.#played.windows.begin(index, atMs)
      const file = each.do === 'say' ? (this.#bot.fileOf(each.text) ?? 'events/message') : 'the bot'
      variant.at?.(`${clockText(world.nowMs)} ${crowd.intention(each)}`, file)
      void crowd.act(each, index)
    }
    await world.run(zeroMs + one.lengthMs + late(Infinity))
  }

  /** Restarts the bot before an act, if it is idle. */
  async #restart(own: Supervisor, index: number, atMs: number): Promise<void> {
    await this.#world.run(atMs - 2500)
    // A question is lost in a restart, of which its person is notified.
    if (!isQuiet(own.running) || (await this.#values.list('ask:')).length > 0) return
    this.#played.restarted.push(index)
    this.#note('  the bot is restarted')
    void own.stop(1000).then(() => own.startIn(100))
  }

  /** Waits until the bot is idle, without faults. */
  async #settle({ own, crowd, faults, invariants }: Running): Promise<void> {
    const [world, host, found] = [this.#world, this.#host, this.#found]
    this.#played.windows.end(world.nowMs)
    faults.end()
    own.startIn(0)
    await world.run(Math.max(world.nowMs, own.startsAtMs, host.awakeAtMs) + WARM_MS)
    const endMs = world.nowMs + CALM_MS
    while (world.nowMs < endMs && !isQuiet(own.running)) await world.run(world.nowMs + LOOK_MS)
    if (!isQuiet(own.running)) {
      // Longer than the questions of most bots.
      faults.reopen()
      faults.begin({ kind: 'leap', atMs: 0, forMs: DAY_MS })
      await world.run(world.nowMs + DAY_MS + WARM_MS)
    }
    if (!own.running) found.add('hangs', { file: 'the bot' }, 'the bot does not come back after the faults have ended')
    else if (own.running.stats().running > 0)
      for (const file of await own.running.runningFiles())
        if (!this.#bot.definitions.some((each) => each.file === file && each.durable))
          found.add('hangs', { file }, 'its handler does not end, a day after everyone has left')
    await invariants.check(own.running)
    this.#played.windows.fill(crowd.shown, crowd)
    await own.stopWithin(WARM_MS)
    this.#outside.kill()
    await world.run(world.nowMs)
  }

  async #close(): Promise<void> {
    this.#supervisor?.process.kill()
    this.#service.close()
    this.#disk.close()
    await this.#world.run(this.#world.nowMs).catch(() => {})
    for (const restore of this.#restores) restore()
    await this.#bot.endPlay()
  }
}

/** In plays that compare orders, the second act of an instant is later, or the first one. */
function lateByOrder({ acts }: PlayCase, index: number, { order }: Variant): number {
  if (order === undefined) return 0
  const isSecond = acts[index - 1]?.atMs === acts[index]!.atMs
  return isSecond === (order === 'first') ? ORDER_MS : 0
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** `0:05`, `26:14:03`, `8 days 3:14:03`. */
function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const days = Math.floor(hours / 24)
  const two = (part: number) => String(part).padStart(2, '0')
  if (days > 1) return `${days} days ${hours % 24}:${two(minutes)}:${two(rest)}`
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
