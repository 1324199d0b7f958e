import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BotSource, Config } from '@botwright/framework'
import {
  connectChannelWebhooks,
  createLog,
  SqliteStore,
  startBot,
  type StartBotOptions,
} from '@botwright/framework/start'
import { openService, type World } from '@botwright/service'
import type { SeededRandom } from '@botwright/clock/simulated'
import type { Points } from './crash-points.ts'
import { Incidents } from './incidents.ts'
import type { SimActor, SimFacts } from './facts.ts'
import { installGlobals } from './globals.ts'
import { becomeIdle } from './real.ts'
import { Supervisor } from './supervisor.ts'
import { SimPeople, STAFF } from './people.ts'
import type { Action, Plan } from './plan.ts'
import { type SimLine, SimRecord } from './record.ts'
import { isQuiet, type Rule, rules } from './rules.ts'
import { SimDisk } from './sim-disk.ts'
import { SimWebhook } from './sim-webhook.ts'
import { SimHost, SimProcess, serviceClock } from './sim-host.ts'
import { type HttpFate, networkOf, type SimRequest } from './sim-network.ts'
import { SimWorld, type Violation } from './sim-world.ts'
import { slowStore } from './slow-store.ts'

/** The bot of a simulation, and what its people write. */
export interface SimBot {
  source: BotSource
  config: Config
  /** Texts that people send; `{n}` becomes a number of its own. */
  says: readonly string[]
  /** Texts that answer the questions of the bot. */
  answers: readonly string[]
  /** The files of its durable handlers. */
  durable?: readonly string[]
  /** The files of other handlers that wait for answers. */
  waits?: readonly string[]
  /** Creates what it needs in its world. Returns variables for its configuration, which are secrets. */
  prepare?: (facts: SimFacts) => Promise<Readonly<Record<string, string>>>
  /** Actors besides people, by their names. */
  actors?: Readonly<Record<string, SimActor>>
  /** Secrets of its configuration. */
  secrets?: readonly string[]
  /** Whether something stored still waits for an answer or a time. A bot without it rests for the longest of these times. */
  isWaiting?: (facts: SimFacts) => boolean
  /** Rules for this bot alone. */
  rules?: readonly Rule[]
}

/** The result of one run. */
export interface Simulated {
  seed: number
  /** The same for the same plan. */
  hash: string
  violations: Violation[]
  lines: string[]
  steps: number
  /** The simulated time. */
  ms: number
  /** How often the bot could have ended. */
  points: Points
}

export const TOKEN = 'token-of-the-simulated-bot'
export const SECRET = 'secret-of-the-simulated-bot'
const PEOPLE = ['ann', 'bob', 'cleo']
const CHANNELS = ['general', 'random', 'offtopic']
/** Longer than all that may wait when the faults end: the message budget, the time limits of handlers and of conversations. */
const CALM_MS = 20 * 60_000
/** Conversations, tasks and sleeping runs have ended by then. */
const REST_MS = 8 * 60_000
/** A poll has looked for events that no event webhook has brought, and writes that have failed were repeated. */
const SHORT_REST_MS = 150_000
const LOOK_MS = 5000
/** More than a process needs to start while nothing fails. */
const WARM_MS = 30_000

export const simWorld = (isPosted: boolean): World => ({
  people: PEOPLE.map((username) => ({ username, token: `token-of-${username}` })),
  bots: [
    {
      ...{ username: 'helper', owner: PEOPLE[0]!, token: TOKEN },
      ...(isPosted && { event_webhook: { url: 'https://bot.example/events', secret: SECRET } }),
    },
  ],
  servers: [
    {
      name: 'Workshop',
      owner: PEOPLE[0]!,
      members: PEOPLE.slice(1),
      bots: ['helper'],
      roles: [
        { name: 'Helper', permissions: ['manage_messages'], members: ['helper'] },
        { name: STAFF, members: PEOPLE.slice(1) },
      ],
      channels: CHANNELS.map((name) => ({ name })),
    },
  ],
})

/** Plays one plan. */
export async function simulate(bot: SimBot, plan: Plan, { trace = false } = {}): Promise<Simulated> {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-simulation-'))
  const world = new SimWorld(plan.seed, { startMs: startOf(plan.seed), trace })
  const host = new SimHost(world)
  const random = { http: world.random.fork('http'), ids: world.random.fork('ids'), faults: world.random.fork('faults') }
  const webhook = new SimWebhook(host, world.random.fork('webhook'))
  const { delivery = 'poll' } = plan
  let supervisor: Supervisor | undefined
  let disconnect = () => {}
  let points: Points = { writes: 0, requests: 0 }
  const outside = new SimProcess(host, -1)
  await becomeIdle()
  const restore = installGlobals(world, () => (supervisor?.isUp ? supervisor.process : outside), random.ids)
  const unwatch = watchRejections(world)
  const service = openService({
    world: simWorld(delivery !== 'poll'),
    clock: serviceClock(world),
    postEvent: webhook.post,
  })
  const disk = new SimDisk({ remembers: plan.incidents.some((one) => 'power' in one) })
  try {
    const quick = plan.quick ? world.random.fork('quick') : undefined
    const people = new SimPeople({ world, service, says: bot.says, answers: bot.answers, quick })
    const botId = service.world.bots['helper']!.id
    const record = new SimRecord()
    const facts: SimFacts = {
      world,
      service,
      people,
      botId,
      secrets: [TOKEN, SECRET, ...(bot.secrets ?? [])],
      disk,
      plan,
      record,
      durable: new Set(bot.durable),
      waits: new Set(bot.waits),
    }
    const env = await prepared(bot, facts)
    const start = (process: SimProcess) => {
      const connect = connectionOf(facts, { process, random: random.http, incidentsOf: () => incidents })
      disconnect()
      disconnect = connectChannelWebhooks({ clock: process, connect })
      const options = botOptions(bot, { process, facts, webhook, folder, env })
      return startBot({ ...options, baseUrl: service.base_url, connect })
    }
    const own = (supervisor = new Supervisor(host, record, start))
    const incidents = new Incidents({
      ...facts,
      host,
      supervisor: own,
      webhook,
      source: bot.source,
      random: random.faults,
    })
    points = incidents.points
    await playOut(plan, { bot, facts, host, supervisor: own, incidents, webhook })
    judge(facts, own, [...rules, ...(bot.rules ?? [])])
    if (!(await own.stopWithin(WARM_MS))) world.violate('liveness', 'the bot does not stop')
    outside.kill()
    await world.run(world.nowMs)
  } catch (error) {
    world.violate('liveness', (error as Error).stack ?? String(error))
  } finally {
    supervisor?.process.kill()
    service.close()
    disk.close()
    await world.run(world.nowMs).catch(() => {})
    unwatch()
    disconnect()
    restore()
    rmSync(folder, { recursive: true, force: true })
  }
  const { violations, lines, steps, nowMs } = world
  return { seed: plan.seed, hash: world.digest(), violations, lines, steps, ms: nowMs, points }
}

/** Rejections that no code handles break a rule, until the result is called. */
export function watchRejections(world: SimWorld): () => void {
  const rejected = (reason: unknown) =>
    world.violate('errors', `unhandled rejection: ${(reason as Error).stack ?? String(reason)}`)
  process.on('unhandledRejection', rejected)
  return () => void process.off('unhandledRejection', rejected)
}

interface ConnectionOptions {
  process: SimProcess
  random: SeededRandom
  incidentsOf: () => {
    fateOf: (request: Pick<SimRequest, 'method' | 'path'>) => HttpFate
    carriedOut: (request: SimRequest, process: SimProcess) => void
  }
}

/** The network between one process of the bot and the service. */
export const connectionOf = (
  { record, service, world }: Pick<SimFacts, 'service' | 'world'> & { record: Pick<SimRecord, 'requests'> },
  { process, random, incidentsOf }: ConnectionOptions,
) =>
  networkOf({
    ...{ service, process, random },
    fateOf: (request) => incidentsOf().fateOf(request),
    answered: (request) => {
      record.requests.push(Object.assign(request, { answeredAtMs: world.nowMs }))
      incidentsOf().carriedOut(request, process)
    },
    received: (request, result) => world.note(requestLine(request, result)),
  })

interface BotStage {
  process: SimProcess
  facts: SimFacts
  webhook: SimWebhook
  folder: string
  env: Readonly<Record<string, string>>
}

/** Creates what a bot needs, before it starts. */
async function prepared(bot: SimBot, facts: SimFacts): Promise<Readonly<Record<string, string>>> {
  if (!bot.prepare) return {}
  let env: Readonly<Record<string, string>> | undefined
  void bot.prepare(facts).then((made) => (env = made))
  await facts.world.run(0, () => env !== undefined)
  for (const secret of Object.values(env!)) facts.record.secrets.add(secret)
  return env!
}

/** Its options, except for the service and the network. */
function botOptions(
  bot: SimBot,
  { process, facts, webhook, folder, env }: BotStage,
): Omit<StartBotOptions, 'baseUrl' | 'connect'> {
  const { disk, plan, record, secrets, world } = facts
  const now = () => ({ atMs: world.nowMs, process: process.number })
  const openDatabase = (path: string) => disk.open(path, process)
  const { storeMs: mostMs = 0 } = plan
  const random = world.random.fork(`store of process ${process.number}`)
  const store: Config['store'] = (host) =>
    slowStore(new SqliteStore({ ...host, file: join(folder, 'state.db'), openDatabase }), { process, random, mostMs })
  return {
    source: bot.source,
    config: {
      ...bot.config,
      ...(mostMs > 0 && { store }),
      ...(bot.prepare && { env: { ...bot.config.env, ...env } }),
      delivery: plan.delivery ?? 'poll',
    },
    webhookSecrets: [SECRET],
    openReceiver: webhook.opener(process),
    clock: process,
    token: TOKEN,
    stateDir: folder,
    lockFolder: false,
    dispatcher: 'inline',
    openDatabase,
    log: createLog({
      level: 'info',
      secrets,
      clock: process,
      write: (text) => {
        if (!process.alive) return
        const line = lineOf(text.replaceAll(folder, '/state'), now())
        record.lines.push(line)
        world.note(`log ${line.level} ${line.msg}`)
      },
    }),
    observer: {
      received({ event }) {
        if (process.alive) record.heard(event, now())
      },
      outcome({ eventId, result }) {
        if (process.alive) record.events.get(eventId)?.outcomes.push({ ...now(), result })
      },
    },
  }
}

interface Stage {
  bot: SimBot
  webhook: SimWebhook
  facts: SimFacts
  host: SimHost
  supervisor: Supervisor
  incidents: Incidents
}

/** Everything of the plan happens; then all faults end, everything comes back, and the bot gets the time to become idle. */
async function playOut(plan: Plan, { bot, facts, host, supervisor, incidents, webhook }: Stage): Promise<void> {
  const { people, world } = facts
  const act = ({ by = '', value }: Action) => {
    const { running, process } = supervisor
    world.note(`${by} acts`)
    bot.actors![by]!(value, { ...facts, host, supervisor, running, process, fateOf: () => webhook.fateOf() })
  }
  world.onRound = () => incidents.round()
  supervisor.start()
  for (const action of plan.actions)
    world.timeline.at(action.atMs, () => (action.do === 'act' ? act(action) : people.act(action)))
  for (const incident of plan.incidents) world.timeline.at(incident.atMs, () => incidents.begin(incident))
  await world.run(plan.lengthMs)
  incidents.end()
  supervisor.startIn(0)
  await world.run(Math.max(world.nowMs, supervisor.startsAtMs, host.awakeAtMs) + WARM_MS)
  const endMs = world.nowMs + CALM_MS
  // A ban ends later, for example.
  const lastMs = Math.max(world.nowMs, ...facts.record.incidents.map(({ toMs }) => toMs))
  await world.run(bot.isWaiting ? lastMs + SHORT_REST_MS : world.nowMs + REST_MS)
  const isBusy = () => !isQuiet(supervisor.running) || bot.isWaiting?.(facts)
  while (world.nowMs < endMs && isBusy()) await world.run(world.nowMs + LOOK_MS)
}

/** Checks the rules, once the bot is idle. */
function judge(facts: SimFacts, { running, process }: Supervisor, all: readonly Rule[]): void {
  const { world } = facts
  if (!isQuiet(running))
    world.violate('liveness', `the bot is not idle: ${JSON.stringify(running?.stats() ?? 'it does not run')}`)
  else
    for (const { name, check } of all)
      for (const text of check({ ...facts, running, process })) world.violate(name, text)
}

function lineOf(text: string, at: { atMs: number; process: number }): SimLine {
  const facts = JSON.parse(text) as Record<string, unknown> & { level: string; msg?: string; code?: string }
  const { level, msg = '', code } = facts
  return { ...at, level, msg, text, facts, ...(code !== undefined && { code }) }
}

/** A request in the trace, which has no tokens. */
function requestLine({ method, path, body, fate }: SimRequest, result: string): string {
  return `${method} ${path.replace(/(interactions\/[^/]+\/)[^/]+/, '$1…')} ${body} ${fate}: ${result}`
}

/** Some runs are around the days on which clocks change in Europe and America. */
export function startOf(seed: number): number {
  const starts = ['2026-01-15T12:00:00Z', '2026-03-29T00:52:00Z', '2026-10-25T00:52:00Z', '2026-03-08T06:55:00Z']
  return Date.parse(starts[seed % starts.length]!)
}
