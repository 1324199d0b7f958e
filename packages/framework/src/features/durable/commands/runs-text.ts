// The output of `framework runs`: what a run waits for, how it ended, and its steps.

import { printableLine, shortened } from '@botwright/protocol/facts'
import { durationText } from '../../../author/time/duration.ts'
import type { LogRecord } from '../stored/run-log.ts'
import type { RunView } from '../stored/run-view.ts'
import { localTime } from '../../history/local-time.ts'
import { table } from '../../../program/table.ts'

/** Longer reasons are cut in the list. */
const REASON = 80

/** The ids without their files, which are in another column, unless several runs of a bot would have the same one. */
export function shortIds(views: readonly (RunView & { bot_id: string })[]): string[] {
  const shortOf = ({ id, file }: RunView) => (id.endsWith(`:${file}`) ? id.slice(0, -file.length - 1) : id)
  const counts = new Map<string, number>()
  for (const view of views) {
    const key = `${view.bot_id} ${shortOf(view)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return views.map((view) => (counts.get(`${view.bot_id} ${shortOf(view)}`) === 1 ? shortOf(view) : view.id))
}

/** The answer or time that a run waits for, or the reason of its end. */
export function detailOf(view: RunView, nowMs: number): string {
  const { status, waits_for, answer, due_at, error, note } = view
  if (status === 'ended') return 'its framework dev has exited, and its data was only in memory'
  // Some errors begin with the file, which is in a column of its own.
  if (waits_for === null) return withoutStart(error ?? note ?? '', `${view.file}: `)
  if (due_at === null) return answer ?? 'nothing'
  const dueMs = Date.parse(due_at)
  const leftMs = dueMs - nowMs
  const left = leftMs > 0 ? `${durationText(Math.max(leftMs, 1000))} left` : 'due now'
  return `${answer ?? `until ${timeText(dueMs, nowMs)}`}, ${left}`
}

/** The same for the list. */
export function shortDetail(view: RunView, nowMs: number): string {
  const [line = ''] = detailOf(view, nowMs).split('\n', 1)
  return view.waits_for === null ? shortened(line, REASON) : line
}

const withoutStart = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : text)

/** `14:00`, or with the date on another day; in the time zone of this computer. */
function timeText(ms: number, nowMs: number): string {
  const [date, time] = [localTime(ms).slice(0, 10), localTime(ms).slice(11, 16)]
  return date === localTime(nowMs).slice(0, 10) ? time : `${date} ${time}`
}

/** A step in the record of a run. Without its data and result, which may be secret. */
export interface StepView {
  step: number
  kind: string
  name: string
  place: string
  /** The answer that it waits for, in English. */
  what?: string
  /** The end of a wait. */
  due_at?: string
  began_at: string
  /** Null while it is under way. */
  ended_at: string | null
  error?: string
  /** Why it ended, if the run was cancelled in it. */
  cancelled?: string
}

const isWait = (kind: string): boolean => kind === 'answer' || kind === 'sleep'

export function stepsOf(records: readonly LogRecord[]): StepView[] {
  const iso = (ms: number) => new Date(ms).toISOString()
  const steps = new Map<number, StepView>()
  for (const record of records)
    if (record.t === 'intent') {
      const { step, kind, name, place, atMs } = record
      const { what, dueMs } = ((isWait(kind) && record.data) || {}) as { what?: string; dueMs?: number }
      const wait = { ...(what !== undefined && { what }), ...(dueMs !== undefined && { due_at: iso(dueMs) }) }
      steps.set(step, { step, kind, name, place, ...wait, began_at: iso(atMs), ended_at: null })
    } else {
      const step = steps.get(record.step)
      if (!step) continue
      step.ended_at = iso(record.atMs)
      if (record.error) step.error = record.error.message
      if (record.cancelled) step.cancelled = record.cancelled.reason
    }
  return [...steps.values()]
}

/** The facts of a run, and its steps. */
export function runText(view: RunView & { bot_id: string }, steps: readonly StepView[], nowMs: number): string {
  const isWaiting = view.waits_for !== null
  const ago = (time: string) =>
    `${localTime(Date.parse(time))} (${durationText(Math.max(nowMs - Date.parse(time), 1000))} ago)`
  const facts: [string, string | undefined][] = [
    ['Run', view.id],
    ['Status', view.status],
    [isWaiting ? 'Waits for' : 'Reason', detailOf(view, nowMs) || undefined],
    ['File', view.file],
    ['Started', ago(view.started_at)],
    [isWaiting ? 'Since' : 'Ended', ago(view.since)],
    ['Continues', view.due_at === null ? undefined : localTime(Date.parse(view.due_at))],
    ['Steps', `${view.steps}${steps.length > 0 || isWaiting ? '' : ' (only waiting and failed runs keep them)'}`],
    ['Channel', view.channel_id],
    ['Server', view.server_id],
    ['Instance', view.instance],
    ['Bot', view.bot_id],
  ]
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : `${name.padEnd(11)}${printableLine(value)}`,
  )
  if (steps.length > 0) {
    const rows = steps.map((step) => {
      const { kind, name, place, what, due_at, began_at } = step
      const until = kind === 'sleep' && due_at !== undefined ? `until ${localTime(Date.parse(due_at))}` : undefined
      // The name of an answer has the ids of its channel and its user.
      const shown = what ?? until ?? (kind === 'answer' ? name.split(':', 1)[0]! : name)
      return [String(step.step), kind, shown, place, localTime(Date.parse(began_at)), resultOf(step, isWaiting)]
    })
    lines.push('', ...table(['Step', 'Kind', 'Name', 'Place', 'Began', 'Result'], rows))
  }
  return lines.join('\n')
}

function resultOf({ kind, ended_at, error, cancelled }: StepView, isWaiting: boolean): string {
  if (cancelled !== undefined) return `cancelled: ${cancelled}`
  if (error !== undefined) return `failed: ${error}`
  if (ended_at !== null) return 'done'
  return isWaiting && isWait(kind) ? 'waiting' : 'not ended'
}
