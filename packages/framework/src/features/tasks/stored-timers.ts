import { randomBytes } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { durationMs } from '../../author/time/duration.ts'
import type { Scheduled, ScheduledId, When } from '../../author/schedule.ts'
import type { StateStore } from '../../author/ports.ts'
import type { Timers } from '../../bot/services.ts'
import { checkPlain } from '../../author/state/plain-data.ts'
import { fromJson } from '../../author/state/record.ts'
import { checkWith, type Schema } from '../../author/state/schema.ts'

/** A timer in the store. */
export interface StoredTimer {
  task: string
  atMs: number
  payload?: unknown
  state: 'waiting' | 'running'
  /** How often its run has failed or was interrupted. */
  failures?: number
  /** When it runs again after a failure, or when it was scheduled if its time was past. */
  againMs?: number
  /** The instance that runs it, in a cluster. */
  machine?: string
}

/** Whether a stored value is a timer. Other programs can write to the store. */
export function isTimer(value: unknown): value is StoredTimer {
  if (typeof value !== 'object' || value === null) return false
  const { task, atMs, state, failures = 0, againMs = 0 } = value as Partial<StoredTimer>
  return (
    typeof task === 'string' &&
    Number.isSafeInteger(atMs) &&
    Math.abs(atMs!) <= MAX_DATE_MS &&
    (state === 'waiting' || state === 'running') &&
    Number.isSafeInteger(failures) &&
    Number.isSafeInteger(againMs)
  )
}

/** When a timer that waits runs. */
export const dueMsOf = ({ atMs, againMs }: StoredTimer): number => againMs ?? atMs

/** The latest time that a `Date` can represent. */
const MAX_DATE_MS = 8.64e15

export const timerPrefix = 'task:timer:'

/** Ids begin with their time, so that keys sort by due time. */
const newId = (atMs: number, random: string): ScheduledId =>
  `${String(atMs).padStart(15, '0')}-${random}` as ScheduledId
const isId = (id: unknown): id is string => typeof id === 'string' && /^\d{15}-[0-9a-f]{12}$/.test(id)

/**
 * `schema`: that of the task's payload. `random`: 12 hexadecimal digits. A repeated call with the same ones adds no second timer.
 * Throws `ERR_INVALID_REQUEST` if the task would get another payload than this one.
 */
export async function addTimer(
  { store, clock, schema }: { store: StateStore; clock: Clock; schema?: Schema<unknown> | undefined },
  task: string,
  when: When,
  payload: unknown,
  random: string = randomBytes(6).toString('hex'),
): Promise<ScheduledId> {
  const atMs = Math.max(0, readWhen(when, clock))
  await checkPayload(payload, `schedule("${task}")`, schema)
  const id = newId(atMs, random)
  const nowMs = clock.now()
  const kept: StoredTimer = {
    ...{ task, atMs, state: 'waiting' },
    ...(payload !== undefined && { payload }),
    ...(atMs < nowMs && { againMs: nowMs }),
  }
  await store.set(timerPrefix + id, kept)
  return id
}

async function checkPayload(payload: unknown, at: string, schema: Schema<unknown> | undefined): Promise<void> {
  if (schema) {
    const checked = await checkWith(schema, fromJson(payload))
    if ('problem' in checked)
      throw new BotwrightError('ERR_INVALID_REQUEST', `${at}: the payload cannot be stored: ${checked.problem}`)
  } else if (payload !== undefined)
    checkPlain(
      payload,
      `${at}: the payload cannot be stored`,
      'pass plain data, or give the task a payload schema that reads it back, as z.coerce.date() does',
    )
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
  // Its id has 15 digits for the time.
  if (Math.abs(ms) < 10 ** 15) return Math.round(ms)
  throw new BotwrightError('ERR_INVALID_REQUEST', 'schedule: at must be a Date, or milliseconds since 1970')
}

/** For the contexts of handlers. */
export const timers: Timers = { add: addTimer, list: listTimers, cancel: cancelTimer }
