import type { Timer } from '@botwright/clock'
import { answerFetch, type HttpAnswer } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { CallHandle } from '@botwright/rest'
import { stoppingError } from '../threads/dispatcher.ts'
import { portRefused } from '../port-refused.ts'
import { registerCommands } from './register-commands.ts'
import { untilAnswered } from '../instance/login.ts'
import type { Instance, LoadedBot } from '../instance/stage-types.ts'
import type { Work } from '../ports/work.ts'
import type { RunningBot } from '../ports/running-bot.ts'
import type { BotEnd, BotStats, ObservedBot, RenewedRuns } from '../ports/bot-facts.ts'
import type { StateStore } from '../../author/ports.ts'
import type { BotSource, LoadedCode } from '../../link/ports.ts'
import { handledEvent } from '../../link/run-event.ts'
import { isOwnDelivery } from '../../link/task-event.ts'

/** Delays the work that earlier processes left unfinished until after the first poll. */
const SETTLE_AFTER_MS = 300

/** Reads events until the bot is stopped or its token is rejected. */
export async function run(loaded: LoadedBot): Promise<RunningBot> {
  const bot = new SupervisedBot(loaded)
  await bot.begin()
  return bot
}

class SupervisedBot implements RunningBot {
  readonly me: BotProfile
  readonly call: CallHandle
  readonly store: StateStore
  readonly ended: Promise<BotEnd>
  readonly answer: HttpAnswer = async (request) => this.#work?.answer(request) ?? noRoutes
  readonly #bot: LoadedBot
  readonly #instance: Instance
  #end!: (end: BotEnd) => void
  #code: LoadedCode
  #work: Work | undefined
  #reloads = 0
  #isRegistered = false
  #isOver = false
  #settling: Timer | undefined
  #stopping: Promise<{ unfinished: number }> | undefined

  constructor(bot: LoadedBot) {
    this.#bot = bot
    this.me = bot.me
    this.call = bot.call
    this.store = bot.backend.store
    this.#code = bot.code
    this.#instance = bot.backend.createInstance(bot)
    this.ended = new Promise((resolve) => (this.#end = resolve))
  }

  get ready(): boolean {
    return this.#isRegistered && !this.#isOver && !this.#stopping
  }

  get code(): LoadedCode {
    return this.#code
  }

  get busy(): boolean {
    return this.#bot.dispatcher.running > this.call.stats().waiting
  }

  async begin(): Promise<void> {
    const { connection, dispatcher, observer } = this.#bot
    const { cleanup, clock, signal } = connection
    observer.began?.(this.#observed())
    this.#settling = clock.after(SETTLE_AFTER_MS, () => this.#instance.settle())
    void this.#instance.ended.then(() => (this.#isOver = true))
    // The first poll and the registration are independent.
    this.#instance.start()
    const givenUp = rejectedBy(signal)
    try {
      await this.#open(givenUp)
    } catch (error) {
      this.#settling.cancel()
      await this.#instance.cancel()
      cleanup.add(() => observer.ended?.({ reason: 'stopped' }))
      throw error
    }
    // If the token was already rejected, the bot is about to stop; or the start is cancelled.
    if (!this.#isOver) await Promise.race([dispatcher.lifecycle('ready'), givenUp.catch(() => {})])
    if (!this.#isOver && !signal.aborted) await this.#becomeReady()
    void this.#instance.ended.then((why) => {
      if (why.reason !== 'unauthorized') return
      observer.refused?.(why)
      return this.stop()
    })
  }

  /** The bot, for its features. */
  #observed(): ObservedBot {
    const { me, call, store } = this
    const { dispatcher, runs } = this.#bot
    const instance = this.#instance
    return {
      ...{ me, call, store },
      facts: () => ({
        ...instance.facts(),
        stats: instance.stats(),
        rest: call.stats(),
        runs,
        reloads: this.#reloads,
        workerRestarts: dispatcher.restarts ?? 0,
      }),
      definitions: () => this.#code.definitions,
      deadLetters: () => instance.deadLetters(),
      replay: (id) => instance.replay(id),
      dispatch: (delivery, failed) => dispatcher.dispatch(delivery, (end) => 'reason' in end && failed(end)),
      queues: () => instance.queues?.() ?? [],
      files: (deliveries) => dispatcher.files(deliveries),
      refresh: async () => instance.refresh?.(),
    }
  }

  /** Opens the work of the bot's own and the receiver, and registers the commands. Resolves when no later event is missed. */
  async #open(givenUp: Promise<never>): Promise<void> {
    const { checkZones, openWork, registered } = this.#bot
    const { config, log } = this.#bot.connection.options
    await checkZones(this.#code.definitions)
    this.#work = await openWork(this.#code)
    const [listening] = await Promise.all([
      this.#instance.listen().catch((error: unknown) => {
        throw portRefused('webhook', config.webhook, error, 'choose another in bot.config.ts (webhook)')
      }),
      this.#register({ registered }),
      // A ready bot receives all events from now on.
      Promise.race([this.#instance.placed, givenUp]),
    ])
    const { host, path } = config.webhook
    if (listening)
      log.info({ port: listening.port }, `receiving event webhooks on http://${host}:${listening.port}${path}`)
  }

  /** `starts` is set at startup, when the registration waits for an unavailable service. */
  #register(starts?: { registered: LoadedBot['registered'] }): Promise<void> {
    const { call } = this
    const { options, clock, signal } = this.#bot.connection
    const { baseUrl, log } = options
    const { registered } = starts ?? {}
    // Stays true if another instance of the cluster registers the commands.
    this.#isRegistered = true
    return this.#instance.register(this.#code.commands, async (commands) => {
      const plan = await registerCommands({
        ...{ call, commands, log },
        ...(registered && { registered }),
        ...(starts && { signal, patiently: (ask) => untilAnswered({ clock, log, baseUrl, signal }, ask) }),
      })
      this.#isRegistered = plan.done
      return plan
    })
  }

  async #becomeReady(): Promise<void> {
    const { username } = this.me
    const { log } = this.#bot.connection.options
    await this.#update()
    this.#bot.observer.ready?.()
    const handlers = this.#code.definitions.length
    if (this.#isRegistered) log.info({ username, handlers }, `${username} is ready: ${counted(handlers, 'handler')}`)
    else
      log.warn(
        { username },
        `${username} is running, but not ready: its commands are not registered. Fix what the error above names and restart the bot`,
      )
  }

  /** Gives the tasks and the work of the bot's own the present code. */
  async #update(): Promise<void> {
    await this.#instance.update(this.#code.definitions)
    await this.#work?.update(this.#code.definitions)
  }

  async replace(source: BotSource, loading?: { signal?: AbortSignal }): Promise<LoadedCode> {
    if (this.#stopping) throw stoppingError()
    const former = this.#code
    const code = (this.#code = await this.#bot.dispatcher.replace(source, loading))
    this.#reloads++
    // Stays false until they are registered, whatever fails before.
    this.#isRegistered &&= JSON.stringify(former.commands) === JSON.stringify(code.commands)
    const failures: unknown[] = []
    const steps = [
      async () => (this.#work ??= await this.#bot.openWork(this.#code)),
      () => this.#update(),
      async () => this.#isRegistered || this.#register(),
    ]
    for (const step of steps) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
    return this.#code
  }

  stop({ graceMs }: { graceMs?: number } = {}): Promise<{ unfinished: number }> {
    if (this.#stopping) this.#bot.observer.hurried?.()
    const { graceSeconds } = this.#bot.connection.options.config.limits
    return (this.#stopping ??= this.#stop(graceMs ?? graceSeconds * 1000))
  }

  async #stop(graceMs: number): Promise<{ unfinished: number }> {
    const { connection, dispatcher, observer } = this.#bot
    const { cleanup, options } = connection
    observer.stopping?.()
    this.#settling?.cancel()
    const [{ unfinished, unfinishedTasks }] = await Promise.all([
      this.#instance.stop(graceMs),
      this.#work?.stop(graceMs),
    ])
    const inTime = `did not finish within ${graceMs / 1000} s`
    if (unfinishedTasks > 0)
      options.log.warn({ tasks: unfinishedTasks }, `${counted(unfinishedTasks, 'task')} ${inTime}`)
    // Handlers of events: a task has none, and neither has a durable run that a time has woken.
    const late = dispatcher.deliveries.filter((one) => !isOwnDelivery(one) && handledEvent(one.event))
    const waiting = late.reduce((left, { burst }) => left - (burst?.events.length ?? 1), unfinished)
    await dispatcher.lifecycle('shutdown')
    const why = await this.#instance.ended
    cleanup.add(() => observer.ended?.(why))
    await cleanup.run()
    this.#end({ reason: why.reason, ...(why.error && { error: why.error }) })
    const lateText = `${counted(late.length, 'handler')} ${inTime}: their events run again when the bot starts`
    const waitingText = `${counted(waiting, 'event')} waited for a burst or a durable run: they run when the bot starts`
    if (late.length > 0) options.log.warn({ unfinished: late.length }, lateText)
    if (waiting > 0) options.log.info({ unfinished: waiting }, waitingText)
    return { unfinished }
  }

  renewRuns(): Promise<RenewedRuns> {
    return this.#bot.runs.renew(new Set(this.#code.definitions.map(({ file }) => file)))
  }

  stats(): BotStats {
    const stats = this.#instance.stats()
    return { ...stats, running: stats.running + (this.#work?.running ?? 0) }
  }

  fetch(request: Request): Promise<Response> {
    return answerFetch(request, this.answer)
  }

  async runningFiles(): Promise<string[]> {
    const { dispatcher } = this.#bot
    const { deliveries } = dispatcher
    // The threads of waiting events may start only once the clock advances.
    const files = deliveries.length === 0 ? [] : await dispatcher.files(deliveries)
    return [...new Set(files)].filter((file) => file !== undefined)
  }

  async nextTimerMs(): Promise<number | undefined> {
    return this.#bot.dispatcher.nextTimerMs?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Rejects when the start is cancelled. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  rejected.catch(() => {})
  return rejected
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const headers = { 'content-type': 'application/json' }
const noRoutes = { status: 404, headers, body: '{"error":"the bot has no routes"}' }
