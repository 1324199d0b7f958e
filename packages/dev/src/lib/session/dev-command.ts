import { join } from 'node:path'
import type { Outcome } from '@botwright/framework'
import type { ObservedEvent } from '@botwright/framework/replay'
import { eventKey, mapStacks, type Observer, type ProgramIo, readEnv } from '@botwright/framework/start'
import { BoundedMap } from '@botwright/protocol/facts'
import { openBotFolder } from '../files/open-folder.ts'
import { DevEnv } from '../files/dev-env.ts'
import { createDevLog } from './dev-log.ts'
import { readKeys } from './dev-keys.ts'
import { DevReport } from './dev-report.ts'
import { DevSession, type Access } from './dev-session.ts'
import { connectService } from './service-connection.ts'
import { taskTimes } from './task-times.ts'
import { SessionEnd } from './session-end.ts'
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

/** `framework dev`: runs a bot and reloads on every save. Resolves with the exit code when a signal ends it; at once at a second one. */
export async function runDev(options: DevOptions): Promise<number> {
  const { root, files } = await openBotFolder(options.io.cwd)
  using end = new SessionEnd(options.io.signals)
  return await Promise.race([runSession(options, { root, files, end }), end.second])
}

interface Session {
  root: string
  files: Set<string>
  end: SessionEnd
}

async function runSession(options: DevOptions, { root, files, end }: Session): Promise<number> {
  const startedMs = performance.now()
  const { io, data } = options
  mapStacks()
  using report = new DevReport(createTerminal(io), root, (...shown) => connection?.problems(...shown))
  const env = new DevEnv(root, io.env)
  env.read()
  io.env['NODE_ENV'] ??= 'development'
  const elsewhere = io.env['BOT_TOKEN'] ? (io.env['BOT_BASE_URL'] ?? '') : undefined
  await using service = options.real ? undefined : await startLocalService({ ...options, root })
  if (service) {
    // The bot's own code reads the variables that it runs with.
    env.pin({ BOT_BASE_URL: service.baseUrl, BOT_TOKEN: service.token })
    endWithService(service, end, report)
  }
  const { baseUrl } = accessOf(service, io)
  const stateDir = join(root, '.botwright')
  await deleteFormerRuns(stateDir, report)
  const markTemporary = service && data === undefined ? temporaryMarker(stateDir, report) : undefined
  await using connection = service && connectService(service, { root, io, report, bot: () => session.bot })
  await using session: DevSession = new DevSession({
    root,
    files,
    report,
    access: () => accessOf(service, io),
    watch: (watched) => watcher.add(watched),
    rereadEnv: () => env.read(),
    settled: () => watcher.settled(),
    ...(options.workers !== undefined && { workers: options.workers }),
    bot: {
      observer: reportingObserver(report, (outcome) => connection?.note(outcome)),
      ...connection?.options,
      signal: end.signal,
      stateDir,
      log: createDevLog({ report, root, verbose: options.verbose, local: service !== undefined }),
    },
    running: (definitions) => {
      report.running()
      connection?.running(definitions)
      markTemporary?.(definitions, session.bot!.me.id)
    },
    onEnd: ({ error }) => {
      report.error(error?.message ?? 'the token is no longer valid')
      end.fail()
    },
  })
  await using watcher: BotWatcher = new BotWatcher({
    root,
    // Not awaited: the load may be stuck, and a save must then replace it.
    onChanges: (changes) => Promise.resolve(void session.change(changes)),
    onError: (error) => report.error(`watching ${root}: ${error.message}`),
  })
  using keys = readSessionKeys({ io, report, session, end, page: service?.page })
  await Promise.all([watcher.start(), session.start()])
  if (!end.signal.aborted) {
    const ms = performance.now() - startedMs
    await showStart({ report, service, session, baseUrl, ms, data, elsewhere, env: io.env, keys: keys !== undefined })
  }
  return await end.code
}

/** The session ends with the local service, unless both were stopped. */
function endWithService(service: LocalService, end: SessionEnd, report: DevReport): void {
  void service.ended.then(({ asked, code, signal }) => {
    if (asked || end.signal.aborted) return
    report.error(`the local service ${signal ? `was ended by ${signal}` : `exited with code ${code}`}`)
    end.fail()
  })
}

/** Reads the keys if the session runs in a terminal. */
function readSessionKeys(options: {
  io: ProgramIo
  report: DevReport
  session: DevSession
  end: SessionEnd
  page: string | undefined
}): Disposable | undefined {
  const { io, report, session, end, page } = options
  const { stdin, stdout } = io
  if (!stdin.isTTY || !stdout.isTTY) return undefined
  return readKeys(stdin, report, {
    page,
    reload: () => session.restart(),
    clear: () => clearWindow(stdout),
    quit: () => end.stop('a key'),
  })
}

async function showStart(facts: {
  report: DevReport
  service: LocalService | undefined
  session: DevSession
  baseUrl: string
  ms: number
  data: string | undefined
  /** The address of the environment's own bot. */
  elsewhere: string | undefined
  env: NodeJS.ProcessEnv
  keys: boolean
}): Promise<void> {
  const { report, service, session, baseUrl, ms, data, elsewhere, env, keys } = facts
  if (service?.warning !== undefined) report.note(service.warning)
  if (service?.unusedWorld !== undefined) report.warning(service.unusedWorld)
  if (service?.movedFrom !== undefined) report.note(`port ${service.movedFrom} is in use; using the next free port`)
  if (service && elsewhere !== undefined) {
    const where = URL.canParse(elsewhere) ? `on ${new URL(elsewhere).host}` : 'at its own service'
    report.note(
      `BOT_TOKEN is set but not used here: framework dev --real runs the bot ${where}, where everyone sees it`,
    )
  }
  const signIn = service && `${signInNames(await service.people())}a new name creates a new person`
  report.banner({
    version: packageVersion(),
    ...(session.bot && {
      definitions: session.bot.code.definitions,
      times: await taskTimes(session.bot, env),
      ...(session.bot.ready && { ms }),
    }),
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
function reportingObserver(report: DevReport, note: (outcome?: Outcome) => void): Observer {
  // Events without a handler have no outcome.
  const open = new BoundedMap<Outcome['eventId'], ObservedEvent>(1000)
  return {
    received: ({ event }) => {
      open.set(eventKey(event), event)
      note()
    },
    workBegan: ({ event }) => {
      open.set(eventKey(event), event)
      return () => {}
    },
    unrun: ({ event }, { result, message: reason }) => {
      if (result !== 'refused') return
      report.event({ eventId: eventKey(event), type: event.type, file: undefined, result, reason }, event)
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
