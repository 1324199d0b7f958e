import { type Clock, sleep, systemClock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { answerFetch, BodyAlreadyRead, eventAnswer, type HttpAnswer } from '@botwright/events/webhooks'
import { isBotwrightError, printableBlock } from '@botwright/protocol/facts'
import type { Log } from '../../author/ports.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import { registerCommands } from '../../runtime/start/register-commands.ts'
import { refused } from '../routes/plain-request.ts'
import { RouteTable } from '../routes/route-table.ts'
import { Routes, withoutRoute } from '../routes/routes.ts'
import { rowPrefix } from '../routes/stored-requests.ts'
import { tasksHostOf } from '../tasks/bot-tasks.ts'
import { Scheduler } from '../tasks/runtime/scheduler.ts'
import type { BundledBot, FunctionBot, FunctionContext, FunctionEnv } from './bundled-bot.ts'
import { catchUpEvents } from './catch-up-events.ts'
import { type EventClaim, EventMarks } from './event-marks.ts'
import { Invocation } from './invocation.ts'
import { before, firstPosition } from './position.ts'
import { openSite, type Site, withoutSecrets } from './site.ts'

/** For how long one scheduled run begins handlers. The next one does the rest. */
const SCHEDULED_MS = 45_000
/** For how long the request to a route begins stored ones. */
const REQUEST_MS = 5000
const REGISTERED = 'function:commands'

/** Creates the functions of a built bot. */
export function createFunctionBot(bot: BundledBot, { clock = systemClock }: { clock?: Clock } = {}): FunctionBot {
  const instance = new FunctionInstance(bot, clock)
  return {
    fetch: (request, env = process.env, ctx = {}) => instance.fetch(request, env, ctx),
    scheduled: (_event, env = process.env) => instance.scheduled(env),
  }
}

/** One instance of the module. A platform starts and ends any number of them. */
class FunctionInstance {
  readonly #bot: BundledBot
  readonly #clock: Clock
  #site: Site | undefined

  constructor(bot: BundledBot, clock: Clock) {
    this.#bot = bot
    this.#clock = clock
  }

  /** Requests cannot wait for each other in Workers, so two first ones each open a site; the first result stays. */
  async #open(env: FunctionEnv): Promise<Site> {
    if (this.#site) return this.#site
    const site = await openSite(this.#bot, env, this.#clock)
    return (this.#site ??= site)
  }

  async fetch(request: Request, env: FunctionEnv, ctx: FunctionContext): Promise<Response> {
    const arrivedMs = this.#clock.monotonic()
    let site
    try {
      site = await this.#open(env)
    } catch (error) {
      const { message, stack = message } = withoutSecrets(error, env)
      console.error(printableBlock(`the bot could not start: ${isBotwrightError(error) ? message : stack}`))
      return new Response('the bot could not start; its log has the reason', { status: 503 })
    }
    const work = new Background(site, ctx)
    const { pathname } = new URL(request.url)
    const isEvent = request.method === 'POST' && pathname === site.config.webhook.path
    const answer = isEvent ? eventsOf(site, work, arrivedMs) : routesOf(site, work)
    const response = await answerFetch(request, alwaysAnswered(answer, site.log))
    await work.begun()
    return response
  }

  async scheduled(env: FunctionEnv): Promise<void> {
    try {
      await scheduledRun(await this.#open(env))
    } catch (error) {
      throw withoutSecrets(error, env)
    }
  }
}

/** One part that fails, or takes long, does not stop the others. The first failure is that of the run. */
async function scheduledRun(site: Site): Promise<void> {
  await using invocation = new Invocation(site, SCHEDULED_MS)
  const failures: Error[] = []
  const parts = [register, catchUp, runTasks, runStoredRequests].map((part) =>
    part(site, invocation).catch((error: Error) => {
      site.log.error({ error }, `the scheduled run: ${error.message}`)
      failures.push(error)
    }),
  )
  await Promise.all(parts)
  if (failures[0]) throw failures[0]
}

function catchUp({ clock, config, log, store }: Site, invocation: Invocation): Promise<void> {
  const { beginUntilMs, call, service, untilMs } = invocation
  const marks = new EventMarks({ store, clock, log })
  const run = (event: BotEvent, attempt: number) => invocation.handle(event, attempt)
  return catchUpEvents({ config, call, store, clock, service, log, marks, untilMs, beginUntilMs, run })
}

async function runTasks(site: Site, invocation: Invocation): Promise<void> {
  const { bot } = site
  const tasks = new Scheduler({ ...tasksHostOf(workOf(site, invocation)), lookMs: bot.everyMs })
  tasks.update(bot.definitions)
  await runDue(site, invocation, tasks)
  await invocation.wasLoaded()
}

async function runStoredRequests(site: Site, invocation: Invocation): Promise<void> {
  const { bot, store } = site
  if (!hasRoutes(bot) || (await store.list(rowPrefix, { limit: 1 })).length === 0) return
  const routes = new Routes(workOf(site, invocation), bot.definitions)
  await routes.update(bot.definitions)
  await runDue(site, invocation, routes)
  await invocation.wasLoaded()
}

/** Lets work that is due begin while the invocation begins handlers, and waits until it has ended. */
async function runDue(
  { clock }: Site,
  { beginUntilMs, untilMs }: Invocation,
  work: { idle: () => Promise<unknown>; stop: (graceMs: number) => Promise<unknown> },
): Promise<void> {
  const idle = new AbortController()
  const late = sleep(clock, beginUntilMs - clock.now(), idle.signal)
  await Promise.race([work.idle(), late]).finally(() => idle.abort())
  await work.stop(untilMs - clock.now())
}

const hasRoutes = ({ definitions }: BundledBot): boolean => definitions.some(({ kind }) => kind === 'route')

const workOf = ({ clock, config, log, store }: Site, invocation: Invocation): WorkHost => ({
  ...{ config, store, clock, log, claims: invocation.claims, switches: noSwitches },
  dispatch: (delivery, ended) => invocation.run(delivery, ended),
})

const noSwitches = { isOff: async () => false }

/** Registers the commands of code that has not registered them. */
async function register({ bot, log, store }: Site, invocation: Invocation): Promise<void> {
  if ((await store.get(REGISTERED))?.value === bot.codeId) return
  const { call } = invocation
  const { done } = await registerCommands({ call, commands: (await invocation.load()).commands(), log })
  if (done) await store.set(REGISTERED, bot.codeId)
}

/** Answers also if the store fails. A sender that goes away is not logged: anyone can do so. */
function alwaysAnswered(answer: HttpAnswer, log: Log): HttpAnswer {
  return async ({ read: readBody, ...head }) => {
    let isGone = false
    const read = (most: number) =>
      readBody(most).catch((error: unknown) => {
        isGone = !(error instanceof BodyAlreadyRead)
        throw error
      })
    try {
      return await answer({ ...head, read })
    } catch (error) {
      const reason = (error as Error | undefined)?.message
      if (!isGone) log.error({ error }, `${head.method} ${head.path} could not be answered: ${reason}`)
      return refused(500, 'the bot could not answer this request')
    }
  }
}

/** The work that a request leaves behind. */
class Background {
  readonly #site: Site
  readonly #ctx: FunctionContext
  readonly #all: Promise<void>[] = []

  constructor(site: Site, ctx: FunctionContext) {
    this.#site = site
    this.#ctx = ctx
  }

  /** Its failure is logged. */
  add(what: string, work: () => Promise<void>): void {
    this.#all.push(
      work().catch((error: unknown) =>
        this.#site.log.error({ error }, `${what} failed: ${(error as Error | undefined)?.message}`),
      ),
    )
  }

  /** Resolves when the response may be sent: the platform keeps the invocation alive, or the work has ended. */
  async begun(): Promise<void> {
    const all = Promise.all(this.#all)
    if (this.#ctx.waitUntil) this.#ctx.waitUntil(all)
    else await all
  }
}

/** Accepts an event once it is claimed, and runs it after the response. */
function eventsOf(site: Site, work: Background, arrivedMs: number): HttpAnswer {
  const { clock, config, events, log, store, withoutSecret } = site
  if (!events) return withoutSecret
  const marks = new EventMarks({ store, clock, log })
  const claim = async (event: BotEvent, untilMs: number): Promise<EventClaim> => {
    await firstPosition(store, config, before(event.id), clock.now())
    return marks.claim(event, untilMs)
  }
  const offer = async (event: BotEvent): Promise<void> => {
    const invocation = new Invocation(site)
    const claiming = claim(event, invocation.untilMs)
    // A store may take longer for the claim than the service waits for the response.
    work.add(`event ${event.id}`, async () => {
      await using own = invocation
      const claimed = await claiming
      if (typeof claimed === 'string') return
      own.pushed(event, clock.monotonic() - arrivedMs)
      const { attempt } = claimed
      await marks.run(event, attempt, () => own.handle(event, attempt))
    })
    await claiming
  }
  return eventAnswer(events, { path: config.webhook.path, offer })
}

/** Answers a request to a route. A stored one runs after the response. */
function routesOf(site: Site, work: Background): HttpAnswer {
  const { definitions } = site.bot
  if (!hasRoutes(site.bot)) return async () => refused(404, 'the bot has no such path')
  const table = new RouteTable(definitions)
  return async (request) => {
    // Scanners try many paths.
    const found = table.find(request.method, request.path)
    if (!found || 'methods' in found) return withoutRoute(found)
    const invocation = new Invocation(site, REQUEST_MS)
    const routes = new Routes(workOf(site, invocation), definitions)
    await routes.update(definitions)
    const answering = routes.answer(request)
    // A failed answer is that of the response.
    const answered = answering.then(nothing, nothing)
    work.add(`${request.method} ${request.path}`, async () => {
      await using own = invocation
      const idle = () => answered.then(() => routes.idle())
      await runDue(site, invocation, { idle, stop: (graceMs) => routes.stop(graceMs) })
      await answered
      await own.wasLoaded()
    })
    return answering
  }
}

const nothing = (): void => {}
