import type { RunHead, RunWait } from './run-store.ts'

/** A stored run, for the control room and `framework runs`. Without the data of its event: a click's contains its token. */
export interface RunView {
  id: string
  file: string
  /** `ended`: it waited in a `framework dev` that has ended, and that kept its data in memory. */
  status: RunHead['status'] | 'ended'
  started_at: string
  /** Since when it has waited, or when it ended. */
  since: string
  waits_for: 'answer' | 'time' | null
  /** The answers that it waits for, in English: `an answer from ann in #general`. */
  answer?: string
  /** When it continues without an answer. */
  due_at: string | null
  /** How many steps it has begun. */
  steps: number
  channel_id?: string
  server_id?: string
  /** The instance that continues it, in a cluster. */
  instance?: string
  /** Why it failed or was cancelled. */
  error?: string
  /** Why a run that is done ended early. */
  note?: string
}

/** `ended`: its bot has ended for good. */
export function runView(head: RunHead, ended = false): RunView {
  const { id, file, startedMs, changedMs, waits, endsMs = Infinity, steps, machine, error, note, event } = head
  const status = ended && head.status === 'waiting' ? 'ended' : head.status
  const isWaiting = status === 'waiting'
  const answers = isWaiting ? waits.filter(({ key }) => key !== undefined) : []
  const dueMs = isWaiting ? Math.min(endsMs, ...waits.map((wait) => wait.dueMs)) : Infinity
  const { channel_id, server_id } = event.data
  return {
    id,
    file,
    status,
    started_at: iso(startedMs),
    since: iso(changedMs),
    waits_for: !isWaiting ? null : answers.length > 0 ? 'answer' : 'time',
    ...(answers.length > 0 && { answer: answerText(answers) }),
    due_at: Number.isFinite(dueMs) ? iso(dueMs) : null,
    steps,
    ...(typeof channel_id === 'string' && { channel_id }),
    ...(typeof server_id === 'string' && { server_id }),
    ...(machine !== undefined && { instance: machine }),
    ...(error !== undefined && { error }),
    ...(note !== undefined && { note }),
  }
}

/** Names two of the answers at most. */
function answerText(waits: readonly RunWait[]): string {
  const names = [...new Set(waits.map(({ what }) => what ?? 'an answer'))]
  return `${names.slice(0, 2).join(' or ')}${names.length > 2 ? ` or ${names.length - 2} more` : ''}`
}

const iso = (ms: number): string => new Date(ms).toISOString()
