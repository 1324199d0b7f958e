import { join } from 'node:path'
import type { Outcome } from '@botwright/framework'
import type { ObservedEvent } from '@botwright/framework/replay'
import { eventKey, mapStacks, type Observer, type ProgramIo, readEnv } from '@botwright/framework/start'
import { BoundedMap } from '@botwright/protocol/facts'
import { openBotFolder } from '../files/bot-folder.ts'
import { DevEnv } from '../files/dev-env.ts'
import { createDevLog } from './dev-log.ts'
import { readKeys } from './dev-keys.ts'
import { DevReport } from './dev-report.ts'
import { DevSession, type Access } from './dev-session.ts'
import { ClockFollower } from './follow-clock.ts'
import { commandPublisher } from './publish-commands.ts'
import { TimelinePublisher } from './publish-timelines.ts'
import { answerReplays } from './answer-replays.ts'
import { startLocalService, type LocalService } from '../local-service/local-service.ts'
import { packageVersion } from '../files/package-version.ts'
import { deleteFormerRuns, temporaryMarker } from './temporary-runs.ts'
import { clearWindow, createTerminal } from '../terminal/terminal.ts'
import { BotWatcher } from '../files/watch.ts'

export interface DevOptions {
  io: ProgramIo
  /** Runs on the service that the environment names, instead of a local one. */
  real: boolean
  port?: number
  data?: string
  world?: string
  allowLoopbackWebhooks?: boolean
  key?: boolean
  verbose: boolean
  workers?: number
}

/** `framework dev`: runs a bot and reloads on every save. Resolves with the exit code when a signal ends it. */
export async function runDev(options: DevOptions): Promise<number> {
  const startedMs = performance.now()
  const { io } = options
  const { stdin, stdout } = io
  mapStacks()
  const giveUp = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = () => giveUp.abort(new Error('stopped by a signal'))
  const { root, files } = await openBotFolder(io.cwd)
  for (const signal of signals) io.signals.on(signal, onSignal)
  const report = new DevReport(createTerminal(io), root)
  let code = 0
  let service: LocalService | undefined
  let session: DevSession | undefined
  let watcher: BotWatcher | undefined
  let timelines: TimelinePublisher | undefined
  let replays: AsyncDisposable | undefined
  let follower: ClockFollower | undefined
  let stopReading: (() => void) | undefined
  try {
    const env = new DevEnv(root, io.env)
    env.read()
    io.env['NODE_ENV'] ??= 'development'
    const { BOT_TOKEN: outside, BOT_BASE_URL: address } = io.env
    service = !options.real ? await startLocalService({ ...options, root }) : undefined
    // The bot's own code reads the variables that it runs with.
    if (service) env.pin({ BOT_BASE_URL: service.baseUrl, BOT_TOKEN: service.token })
    const { baseUrl } = accessOf(service, io)
    timelines = service && new TimelinePublisher({ root, service, report, env: io.env })
    replays = service && answerReplays(service, { io: { ...io, cwd: root }, report })
    const stateDir = join(root, '.botwright')
    await deleteFormerRuns(stateDir, report)
    const publish = service && commandPublisher(service, report)
    const mark = service && options.data === undefined ? temporaryMarker(stateDir, report) : undefined
    follower = service && new ClockFollower(service, () => session?.bot)
    let end!: (code: number) => void
    const ended = new Promise<number>((resolve) => (end = resolve))
    giveUp.signal.addEventListener('abort', () => end(0))
    void service?.ended.then(({ asked, code: exitCode }) => {
      if (asked || giveUp.signal.aborted) return
      report.error(`the local service exited with code ${exitCode}`)
      end(1)
    })
    session = new DevSession({
      root,
      files,
      report,
      access: () => accessOf(service, io),
      watch: (watched) => watcher?.add(watched),
      rereadEnv: () => env.read(),
      settled: async () => watcher?.settled(),
      ...(options.workers !== undefined && { workers: options.workers }),
      bot: {
        observer: observerOf(report, (outcome) => {
          timelines?.note()
          if (outcome) follower?.observe(outcome)
        }),
        ...(follower && { clock: follower.clock, traffic: follower.traffic }),
        signal: giveUp.signal,
        stateDir,
        log: createDevLog({ report, root, verbose: options.verbose, local: service !== undefined }),
      },
      running: (definitions) => {
        publish?.(definitions)
        mark?.(definitions, watched.bot!.me.id)
      },
      onEnd: ({ error }) => {
        report.error(error?.message ?? 'the token is no longer valid')
        end(1)
      },
    })
    const watched = session
    watcher = new BotWatcher({
      root,
      // Not awaited: the load may be stuck, and a save must then replace it.
      onChanges: (changes) => Promise.resolve(void watched.change(changes)),
      onError: (error) => report.error(`watching ${root}: ${error.message}`),
    })
    if (stdin.isTTY && stdout.isTTY)
      stopReading = readKeys(stdin, report, {
        page: service?.page,
        reload: () => watched.restart(),
        clear: () => clearWindow(stdout),
        quit: () => giveUp.abort(new Error('stopped by a key')),
      })
    await Promise.all([watcher.start(), session.start()])
    if (giveUp.signal.aborted) end(0)
    else
      await showStart({
        report,
        service,
        session,
        baseUrl,
        ms: performance.now() - startedMs,
        data: options.data,
        elsewhere: service && outside ? (address ?? '') : undefined,
        keys: stopReading !== undefined,
      })
    code = await ended
  } finally {
    stopReading?.()
    report.close()
    await watcher?.close()
    await session?.close()
    await timelines?.[Symbol.asyncDispose]()
    await replays?.[Symbol.asyncDispose]()
    await follower?.[Symbol.asyncDispose]()
    await service?.stop()
    for (const signal of signals) io.signals.off(signal, onSignal)
  }
  return code
}

async function showStart(facts: {
  report: DevReport
  service: LocalService | undefined
  session: DevSession
  baseUrl: string
  ms: number
  data: string | undefined
  /** The address of the environment's own bot, which does not run. */
  elsewhere: string | undefined
  keys: boolean
}): Promise<void> {
  const { report, service, session, baseUrl, ms, data, elsewhere, keys } = facts
  if (service?.warning !== undefined) report.note(service.warning)
  if (service?.unusedWorld !== undefined) report.warning(service.unusedWorld)
  if (service?.movedFrom !== undefined) report.note(`port ${service.movedFrom} is in use; using the next free port`)
  if (elsewhere !== undefined) {
    const where = URL.canParse(elsewhere) ? `on ${new URL(elsewhere).host}` : 'at its own service'
    report.note(
      `BOT_TOKEN is set but not used here: framework dev --real runs the bot ${where}, where everyone sees it`,
    )
  }
  const signIn = service && `${signInNames(await service.people())}a new name creates a new person`
  report.banner({
    version: packageVersion(),
    ...(session.bot && { definitions: session.bot.code.definitions, ...(session.bot.ready && { ms }) }),
    ...(service && { page: service.page, signIn: signIn!, data: data ?? 'in memory; use --data FILE to keep it' }),
    ...(!service && { realUrl: baseUrl }),
    keys,
  })
}

/** `as ann, bob or carol; ` */
function signInNames(people: readonly string[]): string {
  const shown = people.slice(0, 3)
  if (shown.length === 0) return ''
  const last = shown.pop()!
  return `as ${shown.length > 0 ? `${shown.join(', ')} or ${last}` : last}; `
}

/** Combines an event, when it arrives, with the outcome of its handler. `note` is called with each of both. */
function observerOf(report: DevReport, note: (outcome?: Outcome) => void): Observer {
  // Events without a handler have no outcome.
  const open = new BoundedMap<Outcome['eventId'], ObservedEvent>(1000)
  return {
    received: ({ event }) => {
      open.set(eventKey(event), event)
      note()
    },
    outcome: (outcome) => {
      // Several files may handle it.
      report.event(outcome, open.get(outcome.eventId))
      note(outcome)
    },
  }
}

/** Where the bot runs: on the local service, or on the one in the environment. Throws `ERR_CONFIG`, naming missing variables. */
function accessOf(service: LocalService | undefined, io: ProgramIo): Access {
  const secret = io.env['BOT_WEBHOOK_SECRET']?.trim()
  if (service)
    return { io, baseUrl: service.baseUrl, token: service.token, ...(secret && { webhookSecrets: [secret] }) }
  const { baseUrl, token, webhookSecret } = readEnv(io.env)
  return { io, baseUrl, token, ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }) }
}
