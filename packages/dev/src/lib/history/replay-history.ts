import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import {
  chooseHistory,
  History,
  historyNames,
  type RecordedBy,
  type RecordedEvent,
  type ReplayedEvent,
} from '@botwright/framework/replay'
import { loadEnvFile, makePrivateFolder, mapStacks, type ProgramIo } from '@botwright/framework/start'
import { isBotwrightError } from '@botwright/protocol/facts'
import { readBotFolder } from '../files/bot-folder.ts'
import { openBotFolder } from '../files/open-folder.ts'
import { buildBot } from '../build/bundle.ts'
import { showProblem } from '../problems/code-frame.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { count, createTerminal, type Terminal } from '../terminal/terminal.ts'
import { compare, type Verdict } from './compare.ts'
import { ReplayReport } from './replay-report.ts'
import { replayInThread } from './replay-thread.ts'

export interface ReplayHistoryOptions {
  io: ProgramIo
  /** The folder of the bot's state. */
  state: string
  /** Which history; default: the one written last. */
  from?: RecordedBy
  sinceMs: number
  dry: boolean
  type?: string
  file?: string
  id?: number
  /** This recorded event alone, or with its channel if it was gathered. */
  seq?: number
  json: boolean
  /** Ends with 1 if anything differs. */
  check: boolean
  /** Receives each event instead of the report. */
  each?: (replayed: ReplayedEvent, verdict: Verdict) => void
  /** Ends it, with exit code 130. */
  signal: AbortSignal
}

/** `framework replay --since`: runs recorded events through the current code. Resolves with the exit code. */
export async function replayHistory(options: ReplayHistoryOptions): Promise<number> {
  const { io, dry, json, check, signal } = options
  const terminal = createTerminal(io)
  const columns = (io.stdout.isTTY && io.stdout.columns) || PIPE_WIDTH
  mapStacks()
  const { root, files } = await openBotFolder(io.cwd)
  const stateDir = resolve(root, options.state)
  const { print: note } = createTerminal(io, io.stderr)
  const history = chooseHistory(stateDir, options.from, note)
  const events = chosen(history, options, note)
  if (events.length === 0) {
    if (json) terminal.print(JSON.stringify({ summary: { events: 0 } }))
    else terminal.print('no recorded event matches; "framework events list" shows all')
    return 0
  }
  loadEnvFile(root, io.env)
  io.env['NODE_ENV'] ??= 'development'
  makePrivateFolder(join(root, '.botwright'))
  // Inside the bot's folder, so that its modules find its packages.
  const folder = await mkdtemp(join(root, '.botwright', 'replay-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const build = join(folder, 'build')
    const built = buildBot({ root, folder: readBotFolder(files), outDir: build, files, io })
    // The configuration of the bot may never finish loading.
    if (await isStopped(built, signal)) {
      // The rest of the build may still write into the folder.
      void built.then(remove, remove)
      return INTERRUPTED
    }
    const report = new ReplayReport(terminal, { columns, dry })
    const isReported = !json && !options.each
    const isVerbose = io.env['LOG_LEVEL'] === 'debug'
    const job = {
      ...{ root, build, events, stateDir },
      recordedBy: basename(history) === historyNames.dev ? ('dev' as const) : ('start' as const),
      dry: dry ? { service: serviceOf(root, events.at(-1)!, io.env) } : undefined,
    }
    for await (const message of replayInThread(job, io, signal)) {
      switch (message.kind) {
        case 'started':
          if (isReported)
            terminal.print(`${count(events.length, 'event')}${dry ? ', nothing is sent' : ', answered again'}\n`)
          break
        case 'unreachable':
          if (isReported) note('the service does not respond: reads come from the recording, or fail\n')
          break
        case 'log':
          // Warnings and errors are part of the result already, as the outcome of their event; the rest is optional.
          if (isVerbose) note(message.text)
          break
        case 'replayed':
          show(message.replayed, { ...options, terminal, report })
      }
    }
    if (signal.aborted) return INTERRUPTED
    if (isReported) report.summary()
    else if (!options.each) terminal.print(JSON.stringify({ summary: report.counts() }))
    return check && report.counted('different', 'error', 'fixed') > 0 ? 1 : 0
  } catch (error) {
    if (isBotwrightError(error) && !['ERR_DEFINITION', 'ERR_CONFLICT', 'ERR_CUSTOM_ID'].includes(error.code))
      throw error
    for (const problem of await problemsOf(error, root)) note(await showProblem(problem, root, terminal))
    return 1
  } finally {
    process.off('exit', remove)
    remove()
  }
}

const PIPE_WIDTH = 100
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130

/** Whether the signal comes before the end of the work. Rejects with the error of the work. */
const isStopped = (work: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  Promise.race([
    work.then(() => signal.aborted),
    new Promise<boolean>((resolve) => {
      if (signal.aborted) resolve(true)
      signal.addEventListener('abort', () => resolve(true), { once: true })
    }),
  ])

function show(
  replayed: ReplayedEvent,
  {
    each,
    json,
    terminal,
    report,
  }: Pick<ReplayHistoryOptions, 'each' | 'json'> & { terminal: Terminal; report: ReplayReport },
): void {
  const verdict = compare(replayed)
  if (each) return each(replayed, verdict)
  if (!json) return report.event(replayed, verdict)
  report.count(verdict)
  const { event, ...now } = replayed
  const { seq: _seq, atMs, file, result, error, at, calls, passedTo: _to, ...rest } = event
  const was = { file, result, error, at, calls }
  terminal.print(JSON.stringify({ verdict, at: new Date(atMs).toISOString(), ...rest, was, now }))
}

/** The selected events, each once: an event that was received again after a restart, or a request that ran again, counts as its last delivery. An id selects one event: the newest. */
function chosen(
  file: string,
  { sinceMs, type, file: handler, id, seq }: ReplayHistoryOptions,
  note: (text: string) => void,
): RecordedEvent[] {
  using history = new History(file, note)
  const query = {
    // A run of a task may have a payload of former code, and its bot runs it again by itself.
    leaveOut: 'tasks' as const,
    ...(id === undefined && { sinceMs }),
    ...(type !== undefined && { type }),
    ...(handler !== undefined && { file: handler }),
    ...(id !== undefined && { id }),
  }
  const all = seq === undefined ? history.events(query) : withBurst(history, seq)
  // A refused request to a route never ran.
  const events = all.filter(({ type, data }) => type !== 'route' || data?.['step'] !== 'check')
  const last = new Map(events.map((event) => [`${event.baseUrl} ${event.botId} ${idOf(event)}`, event.seq]))
  const kept = new Set(last.values())
  const each = events.filter(({ seq }) => kept.has(seq))
  if (id === undefined || each.length < 2) return each
  // A new local service counts from 1 again.
  const newest = each.at(-1)!
  note(`${each.length} events have the id ${id}; this is the newest, from ${new Date(newest.atMs).toISOString()}\n`)
  return [newest]
}

/** A burst may last so long. */
const LONGEST_BURST_MS = 5 * 60_000

/** A recorded event. If a file gathered it, with the events of its channel before and after it: they decide which of them are its burst. */
function withBurst(history: History, seq: number): RecordedEvent[] {
  const alone = history.events({ seqs: [seq] })
  const [event] = alone
  if (!event?.steps?.some((step) => step.kind === 'unmatched' && step.reason === 'gathered')) return alone
  const { atMs, botId, baseUrl, data } = event
  return history
    .events({ sinceMs: atMs - LONGEST_BURST_MS, leaveOut: 'own work' })
    .filter(
      (one) => one.botId === botId && one.baseUrl === baseUrl && one.data?.['channel_id'] === data?.['channel_id'],
    )
    .filter((one) => one.atMs <= atMs + LONGEST_BURST_MS)
}

/** A request that ran again has another id, but its key in the store; earlier recordings name it `row`. */
function idOf({ type, id, created_at, data }: RecordedEvent): string {
  const key = type === 'route' ? (data?.['key'] ?? data?.['row']) : undefined
  return typeof key === 'string' ? key : `${id} ${created_at}`
}

/** The target of reads: the bot's own service, or the local one of a running `framework dev`. */
function serviceOf(
  root: string,
  { baseUrl }: RecordedEvent,
  { BOT_TOKEN: token, BOT_BASE_URL: given }: NodeJS.ProcessEnv,
): { baseUrl: string; token: string } | undefined {
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
