// A failed run of a task with `retry` runs again after a wait, or is set aside.

import type { Clock } from '@botwright/clock'
import type { Log, StateStore } from '../../../author/ports.ts'
import { standardRetry } from '../task.ts'
import { durationText } from '../../../author/time/duration.ts'
import type { RetryPolicy, TaskSchedule } from '../../../author/files/entries.ts'
import type { RunFailure } from '../../../link/ports.ts'
import { againMsOf } from '../../due-rows/due-row-runner.ts'
import { interruptedText, LATE_MS, type Looks } from '../known-task.ts'

/** How long a run that was set aside stays in the store. */
export const KEPT_MS = 30 * 24 * 60 * 60_000

export const asidePrefix = 'task:aside:'

/** A run that was set aside, in the store. */
export interface SetAsideRun {
  task: string
  atMs: number
  payload?: unknown
  reason: string
}

interface FailedRun {
  /** Identifies the run in the store. */
  id: string
  file: string
  task: string
  atMs: number
  payload?: unknown
  /** How often it has failed or was interrupted. */
  failures: number
}

type Host = { store: StateStore; clock: Clock; log: Log } & Looks

type Retry = Pick<TaskSchedule, 'retry'>

const policyOf = ({ retry }: Retry): RetryPolicy | undefined =>
  retry === true ? standardRetry : retry === false ? undefined : retry

/** Whether the attempt after so many failures is the last one. */
export const isLastAttempt = (failures: number, schedule: Retry): boolean =>
  failures >= (policyOf(schedule)?.errors ?? 0)

/** When a run that has failed begins again, at `nowMs`: it never waits for the time of a clock that was set back. */
export function attemptMs(againMs: number, schedule: Retry, nowMs: number): number {
  const { waitsMs } = policyOf(schedule) ?? standardRetry
  return againMsOf(againMs, Math.max(...waitsMs), nowMs)
}

/** Returns when the run is attempted again. Undefined: it is over, and was set aside if its task has `retry`. */
export async function afterFailure(
  run: FailedRun,
  { reason, isFinal = false }: RunFailure,
  schedule: Retry,
  host: Host,
): Promise<number | undefined> {
  const policy = policyOf(schedule)
  if (!policy) return undefined
  const { file, failures, atMs } = run
  const { errors, waitsMs } = policy
  const waitMs = isFinal || failures > errors ? undefined : waitsMs[Math.min(failures, waitsMs.length) - 1]
  if (waitMs === undefined) {
    await setAside(run, reason, host)
    return undefined
  }
  host.log.warn({ file }, `${file}: its run of ${iso(atMs)} failed and runs again in ${durationText(waitMs)}`)
  return host.clock.now() + waitMs
}

/** Returns whether a run that was interrupted runs again. It does not without `retry`, and is set aside after too many interruptions. */
export async function afterInterruption(run: FailedRun, schedule: Retry, host: Host): Promise<boolean> {
  const { file, failures, atMs } = run
  const policy = policyOf(schedule)
  if (!policy) {
    host.log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, atMs))
    return false
  }
  if (failures > policy.errors) {
    await setAside(run, 'it was interrupted', host)
    return false
  }
  host.log.warn({ file }, `${file}: its run of ${iso(atMs)} was interrupted and runs again`)
  return true
}

/** Whether a run was missed and is skipped. */
export function isSkipped(
  { file, atMs }: Pick<FailedRun, 'file' | 'atMs'>,
  { missed }: Pick<TaskSchedule, 'missed'>,
  { clock, log, lookMs = 0 }: Host,
): boolean {
  if (missed !== 'skip' || clock.now() - atMs <= lookMs + LATE_MS) return false
  log.info({ file }, `${file}: its run of ${iso(atMs)} was missed and is skipped (missed: 'skip')`)
  return true
}

async function setAside(
  { id, file, task, atMs, payload, failures }: FailedRun,
  reason: string,
  { store, clock, log }: Host,
): Promise<void> {
  const aside: SetAsideRun = { task, atMs, reason, ...(payload !== undefined && { payload }) }
  await store.set(asidePrefix + id, aside, { expiresAtMs: clock.now() + KEPT_MS })
  const after = failures > 1 ? ` after ${failures} attempts` : ''
  log.error({ code: 'ERR_HANDLER', file }, `${file}: its run of ${iso(atMs)} is set aside${after}: ${reason}`)
}

const iso = (ms: number): string => new Date(ms).toISOString()
