import type { RunHead } from './run-store.ts'

/** A stored run, for the control room and `framework runs`. Without the data of its event: a click's contains its token. */
export interface RunView {
  id: string
  file: string
  status: RunHead['status']
  started_at: string
  /** Since when it has waited, or when it ended. */
  since: string
  waits_for: 'answer' | 'time' | null
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
}

export function runView(head: RunHead): RunView {
  const { id, file, status, startedMs, changedMs, waits, endsMs = Infinity, steps, machine, error, event } = head
  const isWaiting = status === 'waiting'
  const dueMs = isWaiting ? Math.min(endsMs, ...waits.map((wait) => wait.dueMs)) : Infinity
  const { channel_id, server_id } = event.data
  return {
    id,
    file,
    status,
    started_at: iso(startedMs),
    since: iso(changedMs),
    waits_for: !isWaiting ? null : waits.some(({ key }) => key !== undefined) ? 'answer' : 'time',
    due_at: Number.isFinite(dueMs) ? iso(dueMs) : null,
    steps,
    ...(typeof channel_id === 'string' && { channel_id }),
    ...(typeof server_id === 'string' && { server_id }),
    ...(machine !== undefined && { instance: machine }),
    ...(error !== undefined && { error }),
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
