import { answerFetch, type HttpAnswer } from '@botwright/events'
import { stoppingError } from '../threads/dispatcher.ts'
import { portRefused } from '../port-refused.ts'
import { registerCommands } from './register-commands.ts'
import { untilAnswered } from '../instance/login.ts'
import type { LoadedBot } from '../instance/stage-types.ts'
import type { Work } from '../ports/work.ts'
import type { RunningBot } from '../ports/running-bot.ts'
import type { BotEnd } from '../ports/bot-facts.ts'
import { handledEvent } from '../../link/run-event.ts'
import { isOwnDelivery } from '../../link/task-event.ts'

/** Delays the work that earlier processes left unfinished until after the first poll. */
const SETTLE_AFTER_MS = 300

/** Reads events until the bot is stopped or its token is rejected. */
export async function run(bot: LoadedBot): Promise<RunningBot> {
  const { call, me, dispatcher, observer } = bot
  const { options, clock, signal, cleanup } = bot.connection
  const { config, log } = options
  const { store } = bot.backend
  const instance = bot.backend.createInstance(bot)
  const answer: HttpAnswer = async (request) => work?.answer(request) ?? noRoutes
  const update = async () => {
    await instance.update(code.definitions)
    await work?.update(code.definitions)
  }
  let { code } = bot
  let reloads = 0
  let isRegistered = false
  let isOver = false
  let work: Work | undefined
  observer.began?.({
    me,
    call,
    store,
    facts: () => ({
      ...instance.facts(),
      stats: instance.stats(),
      rest: call.stats(),
      runs: bot.runs,
      reloads,
      workerRestarts: dispatcher.restarts ?? 0,
    }),
    definitions: () => code.definitions,
    deadLetters: () => instance.deadLetters(),
    replay: (id) => instance.replay(id),
    dispatch: (delivery, failed) => dispatcher.dispatch(delivery, (end) => 'reason' in end && failed(end)),
    queues: () => instance.queues?.() ?? [],
    files: (deliveries) => dispatcher.files(deliveries),
    refresh: async () => instance.refresh?.(),
  })

  let end!: (end: BotEnd) => void
  const ended = new Promise<BotEnd>((resolve) => (end = resolve))
  let stopping: Promise<{ unfinished: number }> | undefined
  const settling = clock.after(SETTLE_AFTER_MS, () => instance.settle())
  /** `starts` is set at startup, when the registration waits for an unavailable service. */
  const register = (starts?: { registered: LoadedBot['registered'] }) => {
    const { registered } = starts ?? {}
    const { baseUrl } = options
    // Stays true if another instance of the cluster registers the commands.
    isRegistered = true
    return instance.register(code.commands, async (commands) => {
      const plan = await registerCommands({
        call,
        commands,
        log,
        signal,
        ...(registered && { registered }),
        ...(starts && { patiently: (ask) => untilAnswered({ clock, log, baseUrl, signal }, ask) }),
      })
      isRegistered = plan.done
      return plan
    })
  }
  const stop = ({ graceMs = config.limits.graceSeconds * 1000 }: { graceMs?: number } = {}) => {
    if (stopping) observer.hurried?.()
    return (stopping ??= (async () => {
      observer.stopping?.()
      settling.cancel()
      const [{ unfinished, unfinishedTasks }] = await Promise.all([instance.stop(graceMs), work?.stop(graceMs)])
      if (unfinishedTasks > 0)
        log.warn(
          { tasks: unfinishedTasks },
          `${counted(unfinishedTasks, 'task')} did not finish within ${graceMs / 1000} s`,
        )
      // Handlers of events: a task has none, and neither has a durable run that a time has woken.
      const late = dispatcher.deliveries.filter((one) => !isOwnDelivery(one) && handledEvent(one.event))
      const waiting = late.reduce((left, { burst }) => left - (burst?.events.length ?? 1), unfinished)
      await dispatcher.lifecycle('shutdown')
      const why = await instance.ended
      cleanup.add(() => observer.ended?.(why))
      await cleanup.run()
      end({ reason: why.reason, ...(why.error && { error: why.error }) })
      const lateText = `${counted(late.length, 'handler')} did not finish within ${graceMs / 1000} s: their events run again`
      const waitingText = `${counted(waiting, 'event')} waited for a burst or a durable run: they run`
      if (late.length > 0) log.warn({ unfinished: late.length }, `${lateText} when the bot starts`)
      if (waiting > 0) log.info({ unfinished: waiting }, `${waitingText} when the bot starts`)
      return { unfinished }
    })())
  }

  void instance.ended.then(() => (isOver = true))
  // The first poll and the registration are independent.
  instance.start()
  const givenUp = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  givenUp.catch(() => {})
  try {
    if (code.definitions.some(({ schedule }) => schedule))
      (await bot.openTasks()).checkZones(code.definitions, config.env)
    work = await bot.openWork(code)
    const [listening] = await Promise.all([
      instance.listen().catch((error: unknown) => {
        throw portRefused('webhook', config.webhook, error, 'choose another in bot.config.ts (webhook)')
      }),
      register({ registered: bot.registered }),
      // A ready bot receives all events from now on.
      Promise.race([instance.placed, givenUp]),
    ])
    const { host, path } = config.webhook
    if (listening)
      log.info({ port: listening.port }, `receiving event webhooks on http://${host}:${listening.port}${path}`)
  } catch (error) {
    settling.cancel()
    await instance.cancel()
    cleanup.add(() => observer.ended?.({ reason: 'stopped' }))
    throw error
  }
  // If the token was already rejected, the bot is about to stop; or the start is cancelled.
  if (!isOver) await Promise.race([dispatcher.lifecycle('ready'), givenUp.catch(() => {})])
  if (!isOver && !signal.aborted) {
    await update()
    observer.ready?.()
    if (isRegistered)
      log.info(
        { username: me.username, handlers: code.definitions.length },
        `${me.username} is ready: ${counted(code.definitions.length, 'handler')}`,
      )
    else
      log.warn(
        { username: me.username },
        `${me.username} is running, but not ready: its commands are not registered. Fix what the error above names and restart the bot`,
      )
  }
  void instance.ended.then((why) => {
    if (why.reason !== 'unauthorized') return
    observer.refused?.(why)
    return stop()
  })

  return {
    me,
    call,
    store,
    ended,
    stop,
    get ready() {
      return isRegistered && !isOver && !stopping
    },
    get code() {
      return code
    },
    async replace(source, loading) {
      if (stopping) throw stoppingError()
      const former = code
      code = await dispatcher.replace(source, loading)
      reloads++
      // Stays false until they are registered, whatever fails before.
      isRegistered &&= JSON.stringify(former.commands) === JSON.stringify(code.commands)
      const failures: unknown[] = []
      const steps = [async () => (work ??= await bot.openWork(code)), update, async () => isRegistered || register()]
      for (const step of steps) await step().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
      return code
    },
    renewRuns: () => bot.runs.renew(new Set(code.definitions.map(({ file }) => file))),
    stats() {
      const stats = instance.stats()
      return { ...stats, running: stats.running + (work?.running ?? 0) }
    },
    answer,
    fetch: (request) => answerFetch(request, answer),
    get busy() {
      return dispatcher.running > call.stats().waiting
    },
    async runningFiles() {
      const files = await dispatcher.files(dispatcher.deliveries)
      return [...new Set(files)].filter((file) => file !== undefined)
    },
    nextTimerMs: async () => dispatcher.nextTimerMs?.(),
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const headers = { 'content-type': 'application/json' }
const noRoutes = { status: 404, headers, body: '{"error":"the bot has no routes"}' }
