import { resolve } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import {
  chooseHistory,
  History,
  isFailedTask,
  type RecordedBy,
  type RecordedEvent,
  TASK_FAILED,
} from '@botwright/framework/replay'
import { createTerminal } from '../terminal/terminal.ts'
import { EventLines } from './event-line.ts'

export interface EventsOptions {
  io: ProgramIo
  /** The folder of the bot's state. */
  state: string
  /** Which history; default: the one written last. */
  from?: RecordedBy
  follow: boolean
  type?: string
  file?: string
  sinceMs?: number
  /** The number of newest past events. */
  lines: number
  json: boolean
  /** Stops following. */
  signal: AbortSignal
}

const LOOK_MS = 200
/** An event whose handler takes longer is shown as it is, and not again. */
const LONGEST_HANDLER_MS = 10 * 60_000

/** `framework events list` and `tail`: shows the events that the bot received and its answers. Resolves with the exit code: 4 with `--type task` if a shown run failed. */
export async function runEvents(options: EventsOptions): Promise<number> {
  const { follow, type, sinceMs, lines, json, signal, io } = options
  const terminal = createTerminal(io)
  const note = createTerminal(io, io.stderr).print
  const file = chooseHistory(resolve(io.cwd, options.state), options.from, note)
  const columns = (io.stdout.isTTY && io.stdout.columns) || Infinity
  const writer = new EventLines(terminal.colors, columns)
  let failed = false
  const show = (event: RecordedEvent) => {
    failed ||= isFailedTask(event)
    terminal.print(json ? JSON.stringify(toJson(event)) : writer.line(event))
  }
  const only = { ...(type !== undefined && { type }), ...(options.file !== undefined && { file: options.file }) }
  using history = new History(file, note)
  let last = history.lastSeq
  const past = history.events({ ...only, ...(sinceMs !== undefined && { sinceMs }), limit: lines })
  // When following, a running event is shown after it has ended.
  const open = new Set<number>()
  for (const event of past) {
    if (follow && event.result === 'unfinished' && Date.now() - event.atMs < LONGEST_HANDLER_MS) open.add(event.seq)
    else show(event)
  }
  if (past.length === 0 && !json && !follow) terminal.print(terminal.colors.dim('no recorded event matches'))
  while (follow && !signal.aborted) {
    await pause(LOOK_MS, signal)
    // An event's file is known when its handler has ended: new events are selected by type alone.
    for (const { seq } of history.events({ ...(type !== undefined && { type }), afterSeq: last })) {
      open.add(seq)
      last = Math.max(last, seq)
    }
    if (open.size === 0) continue
    for (const event of history.events({ seqs: [...open] })) {
      const late = Date.now() - event.atMs > LONGEST_HANDLER_MS
      if (event.result === 'unfinished' && !late) continue
      open.delete(event.seq)
      if (options.file === undefined || event.file === options.file) show(event)
    }
  }
  return failed && type === 'task' ? TASK_FAILED : 0
}

const toJson = ({ seq: _seq, atMs, ...event }: RecordedEvent) => ({ at: new Date(atMs).toISOString(), ...event })

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
