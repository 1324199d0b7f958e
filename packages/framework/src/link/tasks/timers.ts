import { randomBytes } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { durationMs } from '../../author/duration.ts'
import type { Scheduled, ScheduledId, When } from '../../author/tasks/schedule.ts'
import type { StateStore } from '../../author/ports.ts'

/** A timer in the store. */
export interface StoredTimer {
  task: string
  atMs: number
  payload?: unknown
  state: 'waiting' | 'running'
  /** The instance that runs it, in a cluster. */
  machine?: string
}

/** Whether a stored value is a timer. Other programs can write to the store. */
export function isTimer(value: unknown): value is StoredTimer {
  if (typeof value !== 'object' || value === null) return false
  const { task, atMs, state } = value as Partial<StoredTimer>
  return (
    typeof task === 'string' &&
    Number.isSafeInteger(atMs) &&
    Math.abs(atMs!) <= MAX_DATE_MS &&
    (state === 'waiting' || state === 'running')
  )
}

/** The latest time that a `Date` can represent. */
const MAX_DATE_MS = 8.64e15

export const timerPrefix = 'task:timer:'

/** Ids begin with their time, so that keys sort by due time. */
const newId = (atMs: number, random: string): ScheduledId =>
  `${String(atMs).padStart(15, '0')}-${random}` as ScheduledId
const isId = (id: unknown): id is string => typeof id === 'string' && /^\d{15}-[0-9a-f]{12}$/.test(id)

/** `random`: 12 hexadecimal digits. A repeated call with the same ones adds no second timer. */
export async function addTimer(
  { store, clock }: { store: StateStore; clock: Clock },
  task: string,
  when: When,
  payload: unknown,
  random: string = randomBytes(6).toString('hex'),
): Promise<ScheduledId> {
  const atMs = Math.max(0, readWhen(when, clock))
  const id = newId(atMs, random)
  const kept: StoredTimer = { task, atMs, ...(payload !== undefined && { payload }), state: 'waiting' }
  await store.set(timerPrefix + id, kept)
  return id
}

export async function listTimers(store: StateStore, task: string): Promise<Scheduled[]> {
  const all = await store.list(timerPrefix)
  return all.flatMap(({ key, value }) => {
    if (!isTimer(value) || value.task !== task || value.state !== 'waiting') return []
    return { id: key.slice(timerPrefix.length), at: new Date(value.atMs), payload: value.payload }
  })
}

/** Returns false if there is no such timer or it is already running. */
export async function cancelTimer(store: StateStore, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const found = await store.get(timerPrefix + id)
  if (!found || !isTimer(found.value) || found.value.state !== 'waiting') return false
  return store.delete(timerPrefix + id, { expected: found.version })
}

function readWhen(when: When, clock: Clock): number {
  if ('in' in when) return clock.now() + durationMs(when.in, 'schedule: in', 'ERR_INVALID_REQUEST')
  const ms = typeof when.at === 'string' ? Date.parse(when.at) : Number(when.at)
  if (Number.isFinite(ms) && Math.abs(ms) <= MAX_DATE_MS) return Math.round(ms)
  throw new BotwrightError('ERR_INVALID_REQUEST', 'schedule: at must be a Date, or milliseconds since 1970')
}
