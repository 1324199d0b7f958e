import { resolve } from 'node:path'
import { sleep, systemClock } from '@botwright/clock'
import type { ProgramIo } from '../../../program/program-io.ts'
import { chooseHistory, type RecordedBy } from '../../history/choose-history.ts'
import { isFailedTask, TASK_FAILED } from '../../history/commands/explain-command.ts'
import { History } from '../../history/history.ts'
import type { RecordedEvent } from '../../history/recorded-event.ts'
import type { EventRow } from '../../history/unhandled.ts'
import { createTerminal } from '../terminal.ts'
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
  /** The number of newest past events. Those without a handler do not count, and are in one line, unless `all` is set. */
  lines: number
  all: boolean
  /** Only events that failed. */
  failed: boolean
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
  const show = (row: EventRow) => {
    if ('types' in row) return terminal.print(writer.unhandled(row))
    failed ||= isFailedTask(row)
    terminal.print(json ? JSON.stringify(toJson(row)) : writer.line(row))
  }
  const only = {
    ...(type !== undefined && { type }),
    ...(options.file !== undefined && { file: options.file }),
    ...(options.failed && { only: 'failed' as const }),
  }
  using history = new History(file, note)
  let last = history.lastSeq
  const query = { ...only, ...(sinceMs !== undefined && { sinceMs }), limit: lines }
  const isFolded = !json && !options.all
  const past = isFolded ? history.folded(query) : history.events(query)
  // When following, a running event is shown after it has ended.
  const open = new Set<number>()
  for (const row of past) {
    if (follow && !('types' in row) && mayEnd(row)) open.add(row.seq)
    else show(row)
  }
  if (past.length === 0 && !json && !follow) terminal.print(terminal.colors.dim('no recorded event matches'))
  while (follow && !signal.aborted) {
    // An aborted sleep rejects.
    await sleep(systemClock, LOOK_MS, signal).catch(() => {})
    // An event's file is known when its handler has ended: new events are selected by type alone.
    for (const { seq } of history.events({ ...(type !== undefined && { type }), afterSeq: last })) {
      open.add(seq)
      last = Math.max(last, seq)
    }
    if (open.size === 0) continue
    const ended = history.events({ seqs: [...open] }).filter((event) => !mayEnd(event))
    for (const { seq } of ended) open.delete(seq)
    const seqs = ended.map(({ seq }) => seq)
    if (seqs.length === 0) continue
    for (const row of isFolded ? history.folded({ ...only, seqs }) : history.events({ ...only, seqs })) show(row)
  }
  return failed && type === 'task' ? TASK_FAILED : 0
}

const mayEnd = ({ result, atMs }: RecordedEvent): boolean =>
  result === 'unfinished' && systemClock.now() - atMs < LONGEST_HANDLER_MS

const toJson = ({ seq: _seq, atMs, ...event }: RecordedEvent) => ({ at: new Date(atMs).toISOString(), ...event })
