import { type Clock, sleep } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import type { CallHandle } from '@botwright/rest'
import { createFetchCall } from '@botwright/rest/fetch'
import { choiceKey, Waiting } from '../../bot/conversation/waiting.ts'
import { Disposal, disposals } from '../../bot/dispose/disposal.ts'
import { HandlerRuns } from '../../bot/handler-runs.ts'
import type { loadLayered } from '../../bot/load/load-layered.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import type { BotSource, Outbox, RunEnd } from '../../link/ports.ts'
import { AutoAck } from '../single-instance/auto-ack.ts'
import { ServiceClock } from '../delivery/service-clock.ts'
import { InvocationClaims } from './invocation-claims.ts'
import { lastingMembers, workersHandlerSeconds } from './lasting-members.ts'
import { clientOptions, type Site } from './site.ts'
import { StoreLimits } from './store-limits.ts'

/** How long an invocation may take beside its handler: calls that wait, and the answers to clicks. */
const AROUND_MS = 30_000

/** How long the notification of a time limit may take. It may wait for the message budget. */
const NOTICE_MS = 5000

/** A function has no folder: no line of a stack is in this one. */
const NO_FOLDER = '/.functions'

type LoadedBot = Awaited<ReturnType<typeof loadLayered>>

/** The work of one request or one scheduled run: a client, the bot's code and its running handlers. Nothing of it outlives the invocation. */
export class Invocation implements AsyncDisposable {
  readonly call: CallHandle
  readonly claims: InvocationClaims
  readonly service: ServiceClock
  /** Until then, it begins handlers. */
  readonly beginUntilMs: number
  /** When it has ended at the latest. */
  readonly untilMs: number
  readonly #limits: StoreLimits | undefined
  readonly #site: Site
  readonly #clock: Clock
  readonly #acks: AutoAck
  readonly #runs: HandlerRuns
  readonly #source: BotSource
  readonly #disposal: Disposal
  #bot: Promise<LoadedBot> | undefined

  /** `beginMs`: for how long it begins handlers. */
  constructor(site: Site, beginMs = 0) {
    const { bot, clock, config, env, log, store } = site
    const { messageBudget } = config
    const limitMs = config.limits.handlerSeconds * 1000
    this.#site = site
    this.#clock = clock
    this.beginUntilMs = clock.now() + beginMs
    this.untilMs = this.beginUntilMs + limitMs + AROUND_MS
    this.#limits = messageBudget === false ? undefined : new StoreLimits({ store, clock, ...messageBudget })
    this.call = createFetchCall({
      ...clientOptions(env, log),
      clock,
      longestWaitMs: limitMs,
      ...(this.#limits ? { limitStore: this.#limits } : { messageBudget: false }),
    })
    this.claims = new InvocationClaims(clock, this.untilMs, () => this.load())
    this.service = new ServiceClock(clock)
    this.#acks = new AutoAck({ call: this.call, answers: this.call.answers, clock: this.service, log })
    const limitNote = ` (${workersHandlerSeconds} or less for Workers)`
    this.#runs = new HandlerRuns({ limitMs, clock, log, limitNote })
    const { manifest, definitions, codeId, files } = bot
    this.#source = { manifest, definitions, codeId, bundled: files, modules: {}, root: NO_FOLDER }
    this.#disposal = new Disposal(this.#source, log)
    // Only resources are closed with the invocation. Modules stay, so that their `onDispose` functions must not run.
    disposals().splice(disposals().indexOf(this.#disposal), 1)
  }

  /** A webhook pushed this event `agoMs` ago. From its arrival on, a click has 2 s until it is acknowledged. */
  pushed(event: BotEvent, agoMs: number): void {
    this.service.pushed(event, agoMs)
    if (event.type === 'interaction') event.created_at = new Date(this.service.now() - agoMs).toISOString()
  }

  /** Runs the handlers of an event, and answers its click if they do not. */
  async handle(event: BotEvent, attempt: number): Promise<void> {
    hideTokenOf(event)
    this.#acks.received(event, attempt > 1)
    const openMs = event.type === 'interaction' ? this.call.answers.leftMs(String(event.data['id'])) : undefined
    try {
      await this.run({ event, attempt, ...(openMs !== undefined && { openMs }) })
    } finally {
      await this.#acks.flush()
    }
  }

  /** Runs a delivery. `ended` is called with the failure or the result of work of the bot's own. */
  async run(delivery: Delivery, ended?: (end: RunEnd) => void): Promise<void> {
    const bot = await this.load()
    const notices: Promise<void>[] = []
    const apologize: LoadedBot['apologize'] = async (...given) => void notices.push(bot.apologize(...given))
    const end = await this.#runs.run({ ...bot, apologize }, delivery)
    if (notices.length > 0) await this.#sent(notices)
    if (end) ended?.(end)
  }

  /** Waits until users are notified of a time limit, before the calls of the invocation end. */
  async #sent(notices: readonly Promise<void>[]): Promise<void> {
    const sent = new AbortController()
    const late = sleep(this.#clock, NOTICE_MS, sent.signal)
    await Promise.race([Promise.all(notices), late]).finally(() => sent.abort())
  }

  /** The bot's code, whose resources are open. */
  load(): Promise<LoadedBot> {
    return (this.#bot ??= this.#load())
  }

  /** Rejects if the bot could not be loaded for a run. */
  async wasLoaded(): Promise<void> {
    await this.#bot
  }

  async #load(): Promise<LoadedBot> {
    const { config, log, me, store } = this.#site
    // A request with a wrong signature loads none of this.
    const { codeSettings, loadLayered } = await import('../../bot/load/load-layered.ts')
    // So that inputs are checked, and read, when a handler makes its call.
    await this.call.warm()
    const { answers } = this.call
    const bot = await loadLayered(
      this.#source,
      {
        ...codeSettings(config),
        ...{ call: this.call, clock: this.#clock, log, me, store, outbox: this.#outbox() },
        answersLeft: async (id) => answers.left(id),
        waiting: new NoWaiting(),
        // Without a journal, the event is not stored.
        giveUp: (event, reason, file) =>
          log.error({ event: event.id, file }, `event ${event.id} (${event.type}) is set aside: ${reason}`),
      },
      {},
    )
    await bot.open?.(this.#disposal, { next: () => {} })
    return bot
  }

  #outbox(): Outbox {
    const refused = () => Promise.reject(impossible('broadcast'))
    const { call } = this
    return {
      broadcasts: { start: refused, next: refused, cancel: refused },
      budget: async () => {
        const { limit, used, waiting, freeInMs } = call.stats()
        return { limit, used, waiting, freeInMs }
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#runs.close()
    await this.#disposal.dispose()
    await this.call[Symbol.asyncDispose]()
    await this.#limits?.stored()
  }
}

/** An answer arrives in another invocation, where no handler waits for it. */
class NoWaiting extends Waiting {
  override asking<T>(key: string): Promise<T> {
    return Promise.reject(
      key === choiceKey ? impossible('choose', 'ctx.choose, or the button of ctx.stream,') : impossible('ask'),
    )
  }
  override wait(): never {
    throw impossible('clicked')
  }
}

/** The build gives the same reason, with the place of the call. */
const impossible = (member: keyof typeof lastingMembers, name = `ctx.${member}`) =>
  new BotwrightError('ERR_INVALID_REQUEST', `${name} ${lastingMembers[member]}`)
