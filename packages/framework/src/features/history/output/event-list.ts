import { printableLine } from '@botwright/protocol/facts'
import type { History } from '../history.ts'
import { isOwnWork, type RecordedEvent } from '../recorded-event.ts'
import { timelineOf } from '../timeline.ts'
import { type EventRow, isUnhandledEvent, type UnhandledEvents } from '../unhandled.ts'
import { fine, type LineColors, msText } from './timeline-lines.ts'

const LISTED = 10
/** Earlier failures stay in a list for this long. */
const FAILURES_MS = 24 * 60 * 60_000
const MOST_FAILURES = 3

/** The newest events that the bot did something for, after the newest failures from before them. */
export function newestRows(history: History): EventRow[] {
  const rows = history.folded({ limit: LISTED })
  const [oldest] = rows.flatMap((row) => ('types' in row ? row.first : row))
  const newest = rows.at(-1)
  if (!oldest || !newest) return []
  const sinceMs = ('types' in newest ? newest.last : newest).atMs - FAILURES_MS
  const failed = history.events({ only: 'failed', sinceMs, beforeSeq: oldest.seq, limit: MOST_FAILURES })
  return [...failed, ...rows]
}

/** The newest event that the bot did something for, or that would have answered a question. If there is none, the newest event. */
export function lastEvent(history: History): RecordedEvent[] {
  const newest = history.events({ leaveOut: 'tasks', limit: 1 })
  const [event] = newest
  if (!event || !isUnhandledEvent(event) || history.withMissedQuestion(event) !== event) return newest
  const handled = history.events({ leaveOut: 'tasks', only: 'handled', limit: 1 })
  return handled.length > 0 ? handled : newest
}

/** `12 events without a handler: message 10, reaction_add 2`. */
export function unhandledWords({ types }: UnhandledEvents): string {
  const total = [...types.values()].reduce((sum, one) => sum + one, 0)
  const parts = [...types].toSorted(([, a], [, b]) => b - a).map(([type, count]) => `${type} ${count}`)
  return printableLine(`${total} events without a handler: ${parts.join(', ')}`)
}

/** A row as a line for a terminal. */
export function rowLine(row: EventRow, colors: LineColors): string {
  if (!('types' in row)) return eventLine(row, colors)
  return colors.dim(`${new Date(row.last.atMs).toISOString().slice(11, 19)}  · ${unhandledWords(row)}`)
}

function eventLine(recorded: RecordedEvent, { bold, dim, red, yellow }: LineColors): string {
  const { event, result, file, ms, failure, steps } = timelineOf(recorded)
  const isFine = fine.has(result)
  const last = steps.at(-1)
  // The text of the last step begins with the result.
  const whole = failure?.message ?? (isFine ? '' : ((last?.kind === 'finished' ? last.error : last?.text) ?? ''))
  const [reason = ''] = whole.split('\n')
  const paint = isFine ? dim : result === 'refused' || result === 'unfinished' || result === 'skipped' ? yellow : red
  const parts = [
    dim(event.received_at.slice(11, 19)),
    ...(isOwnWork(event) ? [] : [`#${event.id}`]),
    bold(printableLine(event.title)),
    ...(event.who === undefined ? [] : [dim(printableLine(event.who))]),
    printableLine(file ?? 'no file'),
    ...(ms === undefined ? [] : [dim(msText(ms))]),
    paint(`${result.replace('_', ' ')}${reason === '' ? '' : `: ${printableLine(reason)}`}`),
  ]
  return parts.join('  ')
}
