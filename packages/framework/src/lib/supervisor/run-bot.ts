import { systemClock } from '@botwright/clock'
import { AutoAck } from '../auto-ack.ts'
import { ReplayRequests } from '../delivery/replay-requests.ts'
import { tellLostConversations } from '../conversation/kept.ts'
import { registerCommands } from '../register-commands.ts'
import { createBotFeed } from './feed.ts'
import { BotTasks } from './tasks.ts'
import type { BotParts } from './parts.ts'
import type { BotEnd, RunningBot } from './running-bot.ts'

const WARM_AFTER_MS = 300

/** Reads events until the bot is stopped or its token is refused. */
export async function runBot(parts: BotParts): Promise<RunningBot> {
  const { options, clock, signal, call, me, journal, dispatcher, store } = parts
  const startedMs = clock.now()
  const { config, log } = options
  let { code } = parts
  let reloads = 0
  const watch = parts.health?.watch
  const acks = new AutoAck({ call, answers: call.answers, clock, log })
  const { feed, receiver, catchUp, unknown } = createBotFeed(parts, acks)
  // On the machine's own clock: it looks for what another process has asked for, whatever time the bot has.
  const replays = new ReplayRequests({ feed, journal, catchUp, clock: systemClock, log })

  const stats = () => ({ ...feed.stats(), acks: acks.sent, skipped: catchUp?.skipped ?? 0, unknown: unknown.count })
  if (watch)
    watch.bot = () => ({
      stats: stats(),
      rest: call.stats(),
      journal: journal.stats(),
      setAside: journal.countSetAside(),
      reloads,
      workerRestarts: dispatcher.restarts ?? 0,
    })

  const tasks = new BotTasks(parts)

  let end!: (end: BotEnd) => void
  const ended = new Promise<BotEnd>((resolve) => (end = resolve))
  let stopping: Promise<{ unfinished: number }> | undefined
  // When the first poll is out the schemas may load, so that the first reply need not wait for them.
  const warming = clock.after(WARM_AFTER_MS, () => {
    void call.warm()
    void parts.outbox.broadcasts.resume()
    void tellLostConversations({ store, call, log }, { beforeMs: startedMs }, clock.now())
  })
  const stop = ({ graceMs = config.limits.graceSeconds * 1000 }: { graceMs?: number } = {}) =>
    (stopping ??= (async () => {
      if (watch) watch.state = 'stopping'
      warming.cancel()
      replays.stop()
      await receiver?.close()
      const [events, runs] = await Promise.all([feed.stop({ graceMs }), tasks.stop(graceMs)])
      const { unfinished } = events
      if (runs.unfinished > 0)
        log.warn(
          { tasks: runs.unfinished },
          `${counted(runs.unfinished, 'task')} did not finish within ${graceMs / 1000} s`,
        )
      catchUp?.tell()
      await acks.flush()
      await dispatcher.lifecycle('shutdown')
      // Its figures are read from what is closed now.
      if (watch) watch.bot = undefined
      await parts.release()
      const why = await feed.ended
      end({ reason: why.reason, ...(why.error && { error: why.error }) })
      if (unfinished > 0)
        log.warn(
          { unfinished },
          `${unfinished} handlers did not finish within ${graceMs / 1000} s: their events run again at the next start`,
        )
      return { unfinished }
    })())

  // The first poll and the registration need nothing of each other.
  feed.start()
  const givenUp = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  givenUp.catch(() => {})
  try {
    const [listening] = await Promise.all([
      receiver?.listen(),
      registerCommands({ call, commands: code.commands, log, signal, registered: parts.registered }),
      // A bot that calls itself ready misses nothing.
      Promise.race([feed.placed, givenUp]),
    ])
    const { host, path } = config.webhook
    if (listening)
      log.info({ port: listening.port }, `event webhooks are received on http://${host}:${listening.port}${path}`)
  } catch (error) {
    if (watch) watch.bot = undefined
    replays.stop()
    await feed.stop({ graceMs: 0 })
    await receiver?.close()
    throw error
  }
  void feed.ended.then(({ reason }) => {
    if (reason === 'unauthorized') return stop()
  })
  await dispatcher.lifecycle('ready')
  await tasks.update(code.definitions)
  if (watch) watch.state = 'running'
  log.info(
    { username: me.username, handlers: code.definitions.length },
    `${me.username} is ready: ${counted(code.definitions.length, 'handler')}`,
  )

  return {
    me,
    call,
    store,
    ended,
    stop,
    get code() {
      return code
    },
    async replace(source, loading) {
      if (stopping) throw new Error('the bot is stopping: it takes no new code')
      const former = code
      code = await dispatcher.replace(source, loading)
      await tasks.update(code.definitions)
      reloads++
      if (JSON.stringify(former.commands) !== JSON.stringify(code.commands))
        await registerCommands({ call, commands: code.commands, log, signal })
      return code
    },
    stats,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
