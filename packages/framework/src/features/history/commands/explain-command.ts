import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Timeline } from '@botwright/protocol/timeline'
import { History, type HistoryQuery } from '../history.ts'
import { isOwnWork, isTask, type RecordedEvent } from '../recorded-event.ts'
import { timelineOf } from '../timeline.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { chooseHistory, type RecordedBy } from '../choose-history.ts'
import { explainUnrecorded } from './explain-unrecorded.ts'
import { withLinks } from '../output/editor-links.ts'
import { timelineHtml } from '../output/timeline-html.ts'
import { lastEvent, newestRows, rowLine } from '../output/event-list.ts'
import { fine, type LineColors, timelineLines } from '../output/timeline-lines.ts'

/** The id of an event, the newest event that the bot did something for, or the newest run of a task or of a route (`POST /github`). */
export type ExplainedEvent = number | 'last' | { task: string } | { route: string }

/** The options of `framework explain`. */
export interface ExplainOptions {
  /** Default: the newest ones. */
  event?: ExplainedEvent
  /** Its folder is that of the bot, whose files the editor opens. */
  io: ProgramIo
  /** The folder of the bot's state. */
  state: string
  /** Which history; default: the one written last. */
  from?: RecordedBy
  json: boolean
  /** Writes this HTML file instead. */
  html?: string
  print?: (text: string) => void
  /** Receives notes about the choice of the history. */
  note?: (text: string) => void
  colors?: LineColors
  /** Returns what the current code would answer, to print after the timeline. */
  again?: (event: RecordedEvent) => Promise<{ json: object; lines: readonly string[] }>
}

const MOST_IN_HTML = 1000
const plain = (text: string): string => text
const noColors: LineColors = { bold: plain, dim: plain, red: plain, yellow: plain, cyan: plain }

/** `framework explain`: shows what the bot did for an event, step by step. Resolves with the exit code: 4 for a run of a task that failed. Throws `ERR_CONFIG`. */
export async function explainCommand(options: ExplainOptions): Promise<number> {
  const { event, io, from, json, html, colors = noColors } = options
  const { cwd: folder, env } = io
  const print = options.print ?? ((text: string) => void io.stdout.write(`${text}\n`))
  const note = options.note ?? ((text: string) => void io.stderr.write(`${text}\n`))
  const stateDir = resolve(folder, options.state)
  const file = chooseHistory(stateDir, from, note)
  if (!existsSync(file) && html === undefined && typeof event !== 'object') {
    if (explainUnrecorded(stateDir, { event, json, print, note })) return 0
  }
  using history = new History(file, note)
  const read = (one: RecordedEvent) => withLinks(timelineOf(one), folder, env['BOT_EDITOR_LINK'])
  if (event === undefined && html === undefined) {
    const rows = newestRows(history)
    if (rows.length === 0) throw noEvent(event)
    if (!json) for (const row of rows) print(rowLine(row, colors))
    else for (const row of rows) if (!('types' in row)) print(JSON.stringify(read(row)))
    if (!json) note('"framework explain <id>" shows one event step by step, and "framework explain last" the newest')
    return 0
  }
  const recorded = event === 'last' ? lastEvent(history) : history.events(queryOf(event))
  if (recorded.length === 0) throw noEvent(event)
  const shown = event === undefined ? recorded : recorded.map((one) => history.withMissedQuestion(one))
  const timelines = shown.map(read)
  if (html !== undefined) {
    const title = event === undefined ? `Recorded events of ${timelines.at(-1)!.bot.username}` : titleOf(timelines[0]!)
    const file = resolve(folder, html)
    writeFileSync(file, timelineHtml(timelines, { title }))
    print(json ? JSON.stringify({ file, events: timelines.length }) : `wrote ${file}`)
    return 0
  }
  const [only] = timelines
  const now = await options.again?.(recorded[0]!)
  if (json) print(JSON.stringify({ ...only!, ...(now && { again: now.json }) }))
  else
    print(
      [
        ...timelineLines(only!, colors, io.stdout.isTTY ? io.stdout.columns : undefined),
        ...(now ? ['', ...now.lines] : []),
      ].join('\n'),
    )
  return isFailedTask(recorded[0]!) ? TASK_FAILED : 0
}

/** The exit code if a run of a task that is shown has failed. */
export const TASK_FAILED = 4

/** Whether a recorded event is a run of a task that failed. */
export const isFailedTask = (event: Pick<RecordedEvent, 'id' | 'type' | 'result'>): boolean =>
  isTask(event) && event.result !== 'unfinished' && !fine.has(event.result)

const titleOf = ({ event, bot }: Timeline): string =>
  `${event.title} (${isOwnWork(event) ? '' : `event ${event.id} `}of ${bot.username})`

function queryOf(event: Exclude<ExplainedEvent, 'last'> | undefined): HistoryQuery {
  if (event === undefined) return { limit: MOST_IN_HTML }
  return typeof event === 'object' ? { ...event, limit: 1 } : { id: event, limit: 1 }
}

function noEvent(event: ExplainOptions['event']): BotwrightError {
  if (typeof event === 'object') {
    const [[kind, name] = []] = Object.entries(event)
    const message = `no run of the ${kind} "${name}" is recorded; "framework events --type ${kind}" lists the runs of ${kind}s`
    return new BotwrightError('ERR_CONFIG', message)
  }
  if (typeof event !== 'number') return new BotwrightError('ERR_CONFIG', 'no event has been recorded yet')
  return new BotwrightError(
    'ERR_CONFIG',
    `event ${event} was never recorded, or is no longer kept; "framework explain" lists the newest events`,
  )
}
