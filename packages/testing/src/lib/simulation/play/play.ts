import { eventKey, type BotEvent } from '@botwright/events'
import { createLog, MemoryStore } from '@botwright/framework/start'
import { openService } from '@botwright/service'
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
  const world = new SimWorld(one.seed, { startMs: Date.parse(starts[one.seed % starts.length]!) })
  const host = new SimHost(world)
  const isCalm = one.mode !== 'faults'
  const random = {
    acts: new ActRandom(one.seed, variant.salt),
    http: isCalm ? constant : world.random.fork('http'),
  }
  const lines: string[] = []
  let act = -1
  const found = new FoundList(bot.places, () => ({ act, lines: lines.length }))
  const note = (line: string) => {
    if (lines.length < MOST_LINES) lines.push(`${clockText(world.nowMs)} ${bot.readable(line)}`)
  }
  const outside = new SimProcess(host, -1)
  await becomeIdle()
  let supervisor: Supervisor | undefined
  const localTime = new Map<number, Place>()
  const restore = installGlobals(world, () => (supervisor?.isUp ? supervisor.process : outside), random.acts)
  const restoreOwn = installOwnGlobals({
    random: random.acts,
    fetch: bot.settings.fetch,
    zone: variant.zone ?? 'UTC',
    localTime:
      variant.zone === undefined
        ? undefined
        : (stack) => {
            const place = bot.places.ofStack(stack)
            if (place && !localTime.has(act)) localTime.set(act, place)
          },
  })
  /** The place of the handler that runs now, which does not await what fails. */
  const unawaited = (): Place | undefined => {
    const each = one.acts[act]
    const file = played.windows.fileOf(act) ?? (each?.do === 'say' ? bot.fileOf(each.text) : undefined)
    return file === undefined ? undefined : bot.places.find(file, notAwaited)
  }
  const rejected = (reason: unknown) => {
    const place =
      placeOfError(reason) ??
      (reason instanceof Error ? bot.places.ofStack(reason.stack ?? '') : undefined) ??
      unawaited()
    if (place && supervisor?.isUp)
      found.add('unawaited', place, `a promise that no code awaits was rejected: ${messageOf(reason)}`)
  }
  process.on('unhandledRejection', rejected)
  const service = openService({ world: bot.world, clock: serviceClock(world) })
  const disk = new SimDisk()
  const values = new MemoryStore(serviceClock(world))
  const played: Played = {
    found: [],
    windows: new Windows(one),
    lines,
    said: new Map(),
    ran: new Set(),
    refused: new Map(),
    restarted: [],
    localTime,
  }
  try {
    const botId = service.world.bots[bot.username]!.id
    bot.names(service.world, botId)
    const crowd = new Crowd({ world, service, botId, note })
    played.said = crowd.said
    const channel = Object.values(Object.values(service.world.servers)[0]?.channels ?? {})[0] ?? ''
    const events = new Map<unknown, BotEvent>()
    const start = async (process: SimProcess) => {
      try {
        return await bot.start({
          clock: process,
          baseUrl: service.base_url,
          openDatabase: (path) => disk.open(path, process),
          store: () =>
            storeOf(values, {
              places: bot.places,
              process,
              random: random.http,
              fateOf: (write) => faults.fateOfWrite(write),
              kill: () => faults.kill(),
            }),
          connect: networkOf({
            ...{ service, process, random: random.http },
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
              if (process.alive) onLine(text)
            },
          }),
          holdPoll: () => faults.holdPoll(),
          observer: {
            received({ event }) {
              if (process.alive) events.set(eventKey(event), event)
            },
            outcome(outcome) {
              if (process.alive)
                watchOutcome(outcome, events.get(outcome.eventId), { bot, found, faults, played, crowd })
            },
          },
        })
      } catch (error) {
        if (bot.definitions.length === 0) firstError ??= error
        if (process.alive && !faults.explains('http') && !faults.explains('store'))
          found.add(
            'error',
            bot.places.ofStack((error as Error).stack ?? '') ?? { file: 'the bot' },
            `the bot does not start: ${messageOf(error)}`,
          )
        throw error
      }
    }
    let firstError: unknown
    const onLine = (text: string) => {
      const { code, file, msg = '' } = JSON.parse(text) as { code?: string; file?: string; msg?: string }
      if (code !== 'ERR_HANDLER' || file === undefined || !msg.includes('no code awaits')) return
      const [, line] = /^[^\s:]+:(\d+): /.exec(msg) ?? []
      found.add(
        'unawaited',
        { file, ...(line !== undefined && { line: Number(line) }) },
        msg.replace(/^[^\s:]+(?::\d+)?: /, ''),
      )
    }
    const own = (supervisor = new Supervisor(host, new SimRecord(), start))
    const faults = new PlayFaults({
      world,
      host,
      supervisor: own,
      crowd,
      placeNow: unawaited,
      channel,
      note,
    })
    const invariants = invariantsOf(bot, { crowd, values, host, faults, found })
    crowd.onAnswered = (click) => played.windows.answered(click, { bot, crowd, found })
    let isOpen = false
    void crowd.open().then(() => (isOpen = true))
    await world.run(0, () => isOpen)
    own.start()
    await world.run(WARM_MS, () => own.running !== undefined || firstError !== undefined)
    // Its code does not load.
    if (firstError !== undefined) throw firstError as Error
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
      if (variant.restarts?.includes(index)) {
        await world.run(atMs - 2500)
        // A question is lost in a restart, of which its person is notified.
        if (isQuiet(own.running) && (await values.list('ask:')).length === 0) {
          played.restarted.push(index)
          note('  the bot is restarted')
          void own.stop(1000).then(() => own.startIn(100))
        }
      }
      await world.run(atMs - 1)
      await invariants.check(own.running)
      await world.run(atMs)
      act = index
      random.acts.beginAct(index)
      played.windows.begin(index, atMs)
      const file = each.do === 'say' ? (bot.fileOf(each.text) ?? 'events/message') : 'the bot'
      variant.at?.(`${clockText(world.nowMs)} ${crowd.intention(each)}`, file)
      void crowd.act(each, index)
    }
    await world.run(zeroMs + one.lengthMs + late(Infinity))
    played.windows.end(world.nowMs)
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
        if (!bot.definitions.some((each) => each.file === file && each.durable))
          found.add('hangs', { file }, 'its handler does not end, a day after everyone has left')
    await invariants.check(own.running)
    played.windows.fill(crowd.shown, crowd)
    await own.stopWithin(WARM_MS)
    outside.kill()
    await world.run(world.nowMs)
  } finally {
    supervisor?.process.kill()
    service.close()
    disk.close()
    await world.run(world.nowMs).catch(() => {})
    process.off('unhandledRejection', rejected)
    restoreOwn()
    restore()
    await bot.endPlay()
  }
  for (const { rule, text } of world.violations) {
    const place = bot.places.ofStack(text) ?? played.windows.lastFile ?? { file: 'the bot' }
    const [fact = ''] = text.split('\n')
    found.add(
      rule === 'errors' ? 'error' : 'hangs',
      place,
      fact.replace('thrown outside of a promise: Error', 'thrown where no handler catches it'),
    )
  }
  played.found = found.all
  return played
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
