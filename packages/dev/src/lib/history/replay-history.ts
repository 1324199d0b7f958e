import { Console } from 'node:console'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readConfig, type Log } from '@botwright/framework'
import {
  chooseHistory,
  dryRun,
  History,
  realRun,
  type RecordedBy,
  type RecordedEvent,
  type ReplayedEvent,
} from '@botwright/framework/replay'
import { loadEnvFile, makePrivateFolder, readBuild, readEnv } from '@botwright/framework/start'
import { isBotwrightError } from '@botwright/protocol/facts'
import { loadConfigModule, openBotFolder, readBotFolder } from '../bot-folder.ts'
import { buildBot } from '../bundle.ts'
import { showProblem } from '../code-frame.ts'
import { problemsOf } from '../load-problem.ts'
import { count, createTerminal, type Terminal } from '../terminal.ts'
import { compare, type Verdict } from './compare.ts'
import { ReplayReport } from './replay-report.ts'

export interface ReplayHistoryOptions {
  folder: string
  /** The folder of the bot's state. */
  state: string
  /** Which history; default: the one written last. */
  from?: RecordedBy
  sinceMs: number
  dry: boolean
  type?: string
  file?: string
  id?: number
  json: boolean
  /** Ends with 1 if anything differs. */
  check: boolean
  terminal?: Terminal
  columns?: number
  /** Receives each event instead of the report. */
  each?: (replayed: ReplayedEvent, verdict: Verdict) => void
  /** Cancels a run that answers. */
  signal?: AbortSignal
}

/** `framework replay --since`: runs recorded events through the current code. Resolves with the exit code. */
export async function replayHistory(options: ReplayHistoryOptions): Promise<number> {
  const { dry, json, check, terminal = createTerminal() } = options
  const columns = options.columns ?? (process.stdout.isTTY ? process.stdout.columns : 100)
  process.setSourceMapsEnabled(true)
  const { root, files } = await openBotFolder(options.folder)
  const stateDir = resolve(root, options.state)
  const { print: say } = createTerminal(process.stderr)
  const events = chosen(chooseHistory(stateDir, options.from, say), options, say)
  if (events.length === 0) {
    if (json) terminal.print(JSON.stringify({ summary: { events: 0 } }))
    else terminal.print('no recorded event matches; "framework events list" shows all')
    return 0
  }
  loadEnvFile(root)
  process.env['NODE_ENV'] ??= 'development'
  makePrivateFolder(join(root, '.botwright'))
  // Inside the bot's folder, so that its modules find its packages.
  const folder = await mkdtemp(join(root, '.botwright', 'replay-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const console_ = globalThis.console
  // Output of the bot's own code is not part of the result.
  globalThis.console = new Console(process.stderr, process.stderr)
  try {
    await buildBot(root, readBotFolder(files), join(folder, 'build'), files)
    const { source, configPath } = readBuild(join(folder, 'build'), root)
    const config = await readConfig(await loadConfigModule(configPath), 'bot.config.ts', process.env)
    const report = new ReplayReport(terminal, { columns, dry })
    const isReported = !json && !options.each
    if (isReported)
      terminal.print(`${count(events.length, 'event')}${dry ? ', nothing is sent' : ', answered again'}\n`)
    const shared = { events, source, config, stateDir, log: quietLog(say) }
    const runs = dry
      ? dryRun({
          ...shared,
          service: serviceOf(root, events.at(-1)!),
          onService: (up) => !up && isReported && tellAlone(say),
        })
      : realRun({ ...shared, ...readEnv(process.env), signal: options.signal ?? new AbortController().signal })
    for await (const replayed of runs) {
      const verdict = compare(replayed)
      if (options.each) options.each(replayed, verdict)
      else if (!json) report.event(replayed, verdict)
      else {
        report.count(verdict)
        const { event, ...now } = replayed
        const { seq: _seq, atMs, file, result, error, calls, passedTo: _to, ...rest } = event
        const was = { file, result, error, calls }
        terminal.print(JSON.stringify({ verdict, at: new Date(atMs).toISOString(), ...rest, was, now }))
      }
    }
    if (isReported) report.summary()
    else if (!options.each) terminal.print(JSON.stringify({ summary: report.counts() }))
    return check && report.counted('different', 'error', 'fixed') > 0 ? 1 : 0
  } catch (error) {
    if (isBotwrightError(error) && !['ERR_DEFINITION', 'ERR_CONFLICT', 'ERR_CUSTOM_ID'].includes(error.code))
      throw error
    for (const problem of await problemsOf(error, root)) say(await showProblem(problem, root, terminal.colors))
    return 1
  } finally {
    globalThis.console = console_
    process.off('exit', remove)
    remove()
  }
}

/** The selected events, each once: an event that was received again after a restart counts as its last delivery. An id selects one event: the newest. */
function chosen(
  file: string,
  { sinceMs, type, file: handler, id }: ReplayHistoryOptions,
  say: (text: string) => void,
): RecordedEvent[] {
  using history = new History(file)
  const events = history.events({
    ...(id === undefined && { sinceMs }),
    ...(type !== undefined && { type }),
    ...(handler !== undefined && { file: handler }),
    ...(id !== undefined && { id }),
  })
  const last = new Map(
    events.map((event) => [`${event.baseUrl} ${event.botId} ${event.id} ${event.created_at}`, event.seq]),
  )
  const kept = new Set(last.values())
  const each = events.filter(({ seq }) => kept.has(seq))
  if (id === undefined || each.length < 2) return each
  // A new local service counts from 1 again.
  const newest = each.at(-1)!
  say(`${each.length} events have the id ${id}; this is the newest, from ${new Date(newest.atMs).toISOString()}\n`)
  return [newest]
}

/** The target of reads: the bot's own service, or the local one of a running `framework dev`. */
function serviceOf(root: string, { baseUrl }: RecordedEvent): { baseUrl: string; token: string } | undefined {
  const { BOT_TOKEN: token, BOT_BASE_URL: given } = process.env
  // Only the service that sent the events has their channels.
  if (token && given?.trim().replace(/\/+$/, '') === baseUrl) return { baseUrl, token: token.trim() }
  if (!/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(baseUrl)) return undefined
  try {
    const world = JSON.parse(readFileSync(join(root, '.botwright/world.json'), 'utf8')) as {
      bots?: { token?: string }[]
    }
    const local = world.bots?.[0]?.token
    return local === undefined ? undefined : { baseUrl, token: local }
  } catch {
    return undefined
  }
}

const tellAlone = (say: (text: string) => void) =>
  say('the service does not respond: reads come from the recording, or fail\n')

/** Warnings and errors are part of the result already, as the outcome of their event; the rest is optional. */
const quietLog = (say: (text: string) => void): Log => {
  const nothing = () => {}
  const loud = (_facts: object, message: string) => say(message)
  return process.env['LOG_LEVEL'] === 'debug'
    ? { debug: loud, info: loud, warn: loud, error: loud }
    : { debug: nothing, info: nothing, warn: nothing, error: nothing }
}
