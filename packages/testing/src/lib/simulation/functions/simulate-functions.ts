import type { SeededRandom } from '@botwright/clock/simulated'
import { type ConfigInput, MemoryStore } from '@botwright/framework'
import { type BundledBot, createFunctionBot } from '@botwright/framework/functions'
import { eventWebhookHeaders } from '@botwright/protocol'
import type { SignedRequest } from '@botwright/events'
import type { Connect, TransportFailure } from '@botwright/rest/transport'
import { openService } from '@botwright/service'
import { installGlobals } from '../globals.ts'
import { SimPeople } from '../people.ts'
import { becomeIdle } from '../real.ts'
import { serviceClock, SimHost, SimProcess } from '../sim-host.ts'
import { FORGED_FROM, SimWebhook } from '../sim-webhook.ts'
import { SimWorld } from '../sim-world.ts'
import { connectionOf, SECRET, type Simulated, simWorld, startOf, TOKEN, watchRejections } from '../simulate.ts'
import type { FunctionFacts, FunctionRule } from './function-facts.ts'
import { installFunctionGlobals } from './function-globals.ts'
import { FunctionIncidents } from './function-incidents.ts'
import { EVERY_MS, type FunctionPlan } from './function-plan.ts'
import { FunctionRecord, type PostedEvent, type RouteRequest } from './function-record.ts'
import { functionRules } from './function-rules.ts'
import { functionStore } from './function-store.ts'
import { Platform, presentInvocation, presentProcess } from './platform.ts'

/** The bot of a simulation of functions. */
export interface SimFunctions {
  /** The bundle of an instance, as `framework build --target fetch` writes it. */
  bundle: () => BundledBot
  config: ConfigInput
  /** Texts that people send; `{n}` becomes a number of its own. */
  says: readonly string[]
  /** Texts that some plans have, as answers of people: they use up the message budget. */
  floods: readonly string[]
  /** The path of the route that gets requests, with `{ order: '7' }` and the header `x-order`. */
  route: string
  /** Rules for this bot alone. */
  rules?: readonly FunctionRule[]
}

/** A bot reads this while it opens its resources. */
interface Shared {
  simulatedDatabase?: { readonly isDown: boolean }
}

const ORIGIN = 'https://bot.example'
/** After the faults: claims of killed invocations expire, and a scheduled run does what is left. */
const CALM_MS = 3 * EVERY_MS
/** A sender repeats a request that was not accepted. */
const AGAIN_MS = 15_000

/** Plays one plan of functions. */
export async function simulateFunctions(
  bot: SimFunctions,
  plan: FunctionPlan,
  { trace = false } = {},
): Promise<Simulated> {
  const world = new SimWorld(plan.seed, { startMs: startOf(plan.seed), trace })
  const host = new SimHost(world)
  const fork = (name: string) => world.random.fork(name)
  const outside = new SimProcess(host, -1)
  const clock = () => presentProcess() ?? outside
  const webhook = new SimWebhook(host, fork('webhook'))
  await becomeIdle()
  const restore = [installGlobals(world, clock, fork('ids'))]
  restore.push(watchRejections(world))
  const service = openService({ world: simWorld(true), clock: serviceClock(world), postEvent: webhook.post })
  try {
    const people = new SimPeople({ world, service, says: bot.says, answers: bot.floods })
    const record = new FunctionRecord()
    const store = new MemoryStore(serviceClock(world))
    const botId = service.world.bots['helper']!.id
    const facts: FunctionFacts = { world, service, people, botId, plan, record, store, rows: [] }
    const stage = new Stage(bot, facts, { webhook, random: fork })
    restore.push(installFunctionGlobals({ world, fetch: stage.fetch, write: stage.write }))
    ;(globalThis as Shared).simulatedDatabase = stage.incidents
    await stage.play()
    facts.rows = await store.list('')
    for (const { name, check } of [...functionRules, ...(bot.rules ?? [])])
      for (const text of check(facts)) world.violate(name, text)
    stage.end()
  } catch (error) {
    world.violate('liveness', (error as Error).stack ?? String(error))
  } finally {
    outside.kill()
    service.close()
    await world.run(world.nowMs).catch(() => {})
    for (const back of restore.reverse()) back()
    delete (globalThis as Shared).simulatedDatabase
  }
  const { violations, lines, steps, nowMs: ms } = world
  return { seed: plan.seed, hash: world.digest(), violations, lines, steps, ms, points: { writes: 0, requests: 0 } }
}

/** The parts of one run. */
class Stage {
  readonly incidents: FunctionIncidents
  readonly #bot: SimFunctions
  readonly #facts: FunctionFacts
  readonly #platform: Platform
  readonly #webhook: SimWebhook
  readonly #random: (name: string) => SeededRandom
  /** The way of each instance to the service, by its host. */
  readonly #ways = new Map<string, ReturnType<Connect>>()

  constructor(
    bot: SimFunctions,
    facts: FunctionFacts,
    { webhook, random }: { webhook: SimWebhook; random: (name: string) => SeededRandom },
  ) {
    this.#bot = bot
    this.#facts = facts
    this.#webhook = webhook
    this.#random = random
    const { plan, record, world } = facts
    this.#platform = new Platform({
      ...{ world, plan, record, random: random('platform') },
      create: (process) => this.#create(process),
    })
    this.incidents = new FunctionIncidents({
      ...facts,
      ...{ platform: this.#platform, webhook, random: random('faults'), scheduled: () => this.#scheduled() },
    })
  }

  /** Everything of the plan happens; then all faults end, and the bot gets some scheduled runs to do what is left. */
  async play(): Promise<void> {
    const { people, plan, record, world } = this.#facts
    const { timeline } = world
    world.onRound = () => this.incidents.round()
    this.#webhook.onPost = (body) => {
      const { id, event, data } = JSON.parse(body) as { id: number; event: string; data: Record<string, unknown> }
      record.events.push({ id, type: event, data, atMs: world.nowMs, arrivals: [] })
    }
    this.#webhook.receive((request) => this.#receive(request))
    for (let atMs = 0; atMs < plan.lengthMs + CALM_MS; atMs += EVERY_MS)
      timeline.at(atMs, () => this.incidents.isUnscheduled || this.#scheduled())
    for (const action of plan.actions) timeline.at(action.atMs, () => people.act(action))
    for (const { atMs, order } of plan.requests) timeline.at(atMs, () => void this.#request(order, AGAIN_MS))
    for (const incident of plan.incidents) timeline.at(incident.atMs, () => this.incidents.begin(incident))
    await world.run(plan.lengthMs)
    this.incidents.end()
    await world.run(plan.lengthMs + CALM_MS)
    for (const { process } of this.#platform.busy) world.violate('liveness', `instance ${process.number} is still busy`)
  }

  /** Ends all instances. */
  end(): void {
    for (const instance of [...this.#platform.instances]) this.#platform.kill(instance)
  }

  readonly write = (text: string): void => {
    const { record, world } = this.#facts
    const isJson = text.startsWith('{')
    const facts = (isJson ? JSON.parse(text) : { level: 'error', msg: text }) as { level: string; msg?: string }
    const { level, msg = '' } = facts
    record.lines.push({ atMs: world.nowMs, invocation: presentInvocation(), level, msg, text, facts: { ...facts } })
    world.note(`log ${level} ${msg}`)
  }

  readonly fetch = async (url: URL, { method, headers, body, signal }: RequestInit): Promise<Response> => {
    try {
      const { status, text, ...answer } = await this.#ways.get(url.host)!.send({
        ...{ method: method as 'GET', path: url.pathname + url.search, timeoutMs: Infinity },
        headers: (headers as [string, string][]).flat(),
        body: (body ?? null) as string | null,
        signal: signal ?? undefined,
      })
      return new Response(status === 204 ? null : text, { status, headers: answer.headers as Record<string, string> })
    } catch (error) {
      signal?.throwIfAborted()
      const { kind } = error as TransportFailure
      const code = kind === 'not_sent' ? 'ECONNREFUSED' : 'ECONNRESET'
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
    }
  }

  #create(process: SimProcess) {
    const name = `instance-${process.number}.example`
    const connect = connectionOf(this.#facts, {
      ...{ process, random: this.#random(name) },
      incidentsOf: () => this.incidents,
    })
    this.#ways.set(name, connect('', { clock: process, maxBytes: Infinity, connections: 1, proxy: undefined }))
    const store = functionStore(this.#facts.store, {
      ...{ process, random: this.#random(`store of ${name}`) },
      fateOf: (use, key) => this.incidents.fateOfStore(use, key),
      kill: () => this.#platform.killProcess(process),
    })
    const config = { ...this.#bot.config, store: () => store }
    const bundle = { ...this.#bot.bundle(), config: async () => ({ default: config }) }
    const env = { BOT_TOKEN: TOKEN, BOT_BASE_URL: `https://${name}/v1`, BOT_WEBHOOK_SECRET: SECRET }
    return { bot: createFunctionBot(bundle, { clock: process }), env }
  }

  #scheduled(): void {
    const { plan, record, world } = this.#facts
    const isLate = world.nowMs > plan.lengthMs + EVERY_MS
    void this.#platform
      .invoke('scheduled', (bot, env, ctx) => bot.scheduled({}, env, ctx))
      .catch((error: Error) => {
        world.note(`scheduled: ${error.message}`)
        if (isLate && !record.kills.includes(world.nowMs))
          world.violate(
            'a scheduled run succeeds',
            `nothing is wrong at ${Math.round(world.nowMs)} ms, but: ${error.message}`,
          )
      })
  }

  /** Brings an event webhook to the bot. */
  async #receive({ body, signature, bot: botId }: SignedRequest): Promise<number> {
    const { record, world } = this.#facts
    const { id } = JSON.parse(body.toString()) as { id: number }
    const event = record.events.findLast((one) => one.id === id)
    const headers = { [eventWebhookHeaders.signature]: signature, [eventWebhookHeaders.bot]: String(botId) }
    const request = new Request(`${ORIGIN}/`, { method: 'POST', headers, body: new Uint8Array(body) })
    const arrival: PostedEvent['arrivals'][number] = {
      atMs: world.nowMs,
      invocation: record.invocations.length + 1,
    }
    event?.arrivals.push(arrival)
    const { status } = await this.#platform.invoke('event', (bot, env, ctx) => bot.fetch(request, env, ctx))
    arrival.status = status
    if (id > FORGED_FROM) record.forged.push({ atMs: world.nowMs, status })
    return status
  }

  /** Sends a request to the route, until it is accepted. */
  async #request(order: number, againMs: number): Promise<void> {
    const { record, world } = this.#facts
    const one: RouteRequest = { order, atMs: world.nowMs }
    record.routed.push(one)
    const request = new Request(ORIGIN + this.#bot.route, {
      ...{ method: 'POST', body: JSON.stringify({ order: String(order) }) },
      headers: { 'content-type': 'application/json', 'x-order': String(order) },
    })
    try {
      const response = await this.#platform.invoke('request', (bot, env, ctx) => bot.fetch(request, env, ctx))
      Object.assign(one, { status: response.status, answeredAtMs: world.nowMs })
    } catch {
      // The instance has ended.
    }
    world.note(`request of order ${order}: ${one.status ?? 'no response'}`)
    if (one.status !== 202) world.timeline.after(againMs, () => void this.#request(order, againMs * 2))
  }
}
