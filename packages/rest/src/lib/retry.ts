import { sleep, type Clock } from '@botwright/clock'
import { aborted, cleanCause, ServiceError } from './errors.ts'
import type { Answer, TransportFailure } from './connection/exchange.ts'

const FIRST_WAIT_MS = 200
const TRIES = 4
const RATE_TRIES = 3
const RETRY_AFTER = { least: 1, most: 24 * 60 * 60 }
/** How long a call waits because the service asks for it (429), unless its options set another limit. */
export const LONGEST_WAIT_MS = 300_000
/** Transient statuses, caused by a proxy or a restart (decisions row 32). */
const passing = new Set([408, 500, 502, 503, 504])
/** Whether a request with a response of this status may have taken effect. */
export const mayHaveEffect = (status: number): boolean => passing.has(status) || (status >= 200 && status < 300)

/** A 2xx whose body does not match the interface. */
export class Unreadable extends Error {}

/** One call, retried until its outcome is final. */
export interface Attempts<T> {
  endpoint: string
  /** Whether a request with an unknown outcome may be sent again. */
  repeatable: boolean
  /** Whether to retry at all; the event feed does its own retries. */
  retry: boolean
  /** Whether it removes something: a 404 after an unknown outcome shows that it has. */
  removes?: boolean
  secrets: readonly string[]
  signal: AbortSignal | undefined
  /** Aborts when the client is closed, which ends every wait. */
  closing: AbortSignal
  /** No further attempt starts after this time, which does not count the waits that the service asks for. */
  totalMs: number
  /** A wait that the service asks for (429) does not begin if all such waits together would exceed this time. */
  longestWaitMs: number
  /** How long the call may still wait. Default: any time. */
  leftToWaitMs?: () => number
  /** Awaited before each request; the time that this takes does not count. */
  ready?: () => void | Promise<void>
  send: () => Promise<Answer>
  /** Reads a 2xx; throws `Unreadable`. */
  read: (answer: Answer) => T
  refuse: (answer: Answer, retryAfterSeconds: number | undefined) => ServiceError
  retryAfter: (answer: Answer) => number | undefined
  /** Called before every wait. */
  onWait?: ((ms: number, reason: 'rate' | 'fault', status: number) => void | Promise<void>) | undefined
  /** Called after every wait, also if it was cancelled. */
  onWaited?: (() => void) | undefined
}

/** Runs a call to its result: the response, or one typed error. */
export async function attempt<T>(call: Attempts<T>, clock: Clock, random: () => number): Promise<T> {
  let spentMs = 0
  let faults = 0
  let rates = 0
  let rateWaitMs = 0
  let mayBeDone = false
  for (;;) {
    // Without a wait, requests leave in the order of their calls.
    const turn = call.ready?.()
    if (turn) await turn
    const sentMs = clock.monotonic()
    const outcome = await once(call)
    if ('value' in outcome) return outcome.value
    if (mayBeDone && call.removes && outcome.error.status === 404) return call.read(nothing)
    mayBeDone ||= outcome.mayBeDone === true
    spentMs += clock.monotonic() - sentMs
    let waitMs: number
    if (outcome.rateSeconds !== undefined) {
      if (!call.retry || ++rates > RATE_TRIES) throw outcome.error
      waitMs = outcome.rateSeconds * 1000
      rateWaitMs += waitMs
      if (rateWaitMs > call.longestWaitMs || waitMs > (call.leftToWaitMs?.() ?? Infinity)) throw outcome.error
    } else {
      if (!call.retry || !outcome.again || ++faults >= TRIES || spentMs >= call.totalMs) throw outcome.error
      // Half of the wait is random, so that many bots do not retry in step.
      waitMs = FIRST_WAIT_MS * 2 ** (faults - 1) * (0.5 + random() / 2)
      spentMs += waitMs
    }
    await call.onWait?.(waitMs, outcome.rateSeconds === undefined ? 'fault' : 'rate', outcome.error.status)
    try {
      await sleep(clock, waitMs, call.signal, call.closing)
    } catch (reason) {
      throw aborted(call.endpoint, cleanCause(reason, call.secrets))
    } finally {
      call.onWaited?.()
    }
  }
}

/** The response to a request that a former attempt has carried out. */
const nothing: Answer = { status: 204, headers: {}, text: '' }

/** `mayBeDone`: the request may have taken effect. */
type Outcome<T> = { value: T } | { error: ServiceError; again: boolean; rateSeconds?: number; mayBeDone?: boolean }

/** A simulation may have another copy of this package. */
const isTransportFailure = (failure: unknown): failure is TransportFailure =>
  failure instanceof Error && failure.name === 'TransportFailure'

async function once<T>(call: Attempts<T>): Promise<Outcome<T>> {
  let answer: Answer
  try {
    answer = await call.send()
  } catch (failure) {
    if (!isTransportFailure(failure)) throw failure
    return failed(call, failure)
  }
  const { status } = answer
  if (status >= 200 && status < 300) {
    try {
      return { value: call.read(answer) }
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem
      return fault(call, status, `the service answered ${status} with ${problem.message}`, 'ERR_BAD_ANSWER')
    }
  }
  if (status === 429) {
    const rateSeconds = call.retryAfter(answer)
    const error = call.refuse(answer, rateSeconds)
    return rateSeconds === undefined ? { error, again: false } : { error, again: false, rateSeconds }
  }
  if (passing.has(status)) return fault(call, status, `the service answered ${status}`, 'ERR_NO_ANSWER')
  if (status < 400) {
    const fact = `the service answered ${status}, and redirects are not followed; correct the base URL`
    return {
      error: new ServiceError('ERR_BAD_ANSWER', `${call.endpoint}: ${fact}`, { status, endpoint: call.endpoint }),
      again: false,
    }
  }
  return { error: call.refuse(answer, undefined), again: false }
}

/** A response that does not show whether the call took effect. */
function fault<T>(
  call: Attempts<T>,
  status: number,
  fact: string,
  code: 'ERR_BAD_ANSWER' | 'ERR_NO_ANSWER',
): Outcome<T> {
  const { endpoint } = call
  if (call.repeatable)
    return { error: new ServiceError(code, `${endpoint}: ${fact}`, { status, endpoint }), again: true, mayBeDone: true }
  return { error: unknownOutcome(endpoint, fact, status), again: false }
}

function failed<T>(call: Attempts<T>, failure: TransportFailure): Outcome<T> {
  const { endpoint } = call
  const cause = cleanCause(failure.cause, call.secrets)
  if (failure.kind === 'aborted') return { error: aborted(endpoint, cause), again: false }
  if (failure.kind === 'too_large' && call.repeatable) {
    const error = new ServiceError('ERR_BAD_ANSWER', `${endpoint}: ${failure.message}`, { status: 0, endpoint, cause })
    return { error, again: false }
  }
  if (failure.left && !call.repeatable) {
    return { error: unknownOutcome(endpoint, failure.message, 0, cause), again: false }
  }
  const code = systemCode(failure.cause)
  const fact = code === undefined ? failure.message : `${failure.message} (${code})`
  return {
    error: new ServiceError('ERR_NO_ANSWER', `${endpoint}: ${fact}`, { status: 0, endpoint, cause }),
    again: true,
    mayBeDone: failure.left,
  }
}

const unknownOutcome = (endpoint: string, fact: string, status: number, cause?: unknown): ServiceError =>
  new ServiceError(
    'ERR_UNKNOWN_OUTCOME',
    `${endpoint}: ${fact}. It may or may not have taken effect, and repeating it could do it twice; check before you send it again`,
    { status, endpoint, cause },
  )

function systemCode(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** An HTTP date has 29 characters; a header may have thousands, which the patterns below would scan repeatedly. */
const LONGEST_DATE = 100

/** The service's time of an answer: dates in it are relative to that, because the host's clock may be wrong. */
export function timeOf({ headers }: Answer, clock: Clock): number {
  const ms = Date.parse(String(headers['date']))
  return Number.isNaN(ms) ? clock.now() : ms
}

/** The wait that a service asked for, clamped to [1 s, 1 day]; undefined unless it is a number or a date. */
export function clampSeconds(value: unknown, nowMs: number): number | undefined {
  const all = String(Array.isArray(value) ? value[0] : (value ?? ''))
    .slice(0, LONGEST_DATE)
    .trim()
  const first = all.split(',')[0]!.trim()
  const isNumber = /^[+-]?\d+(\.\d+)?(e\+?\d+)?$/i.test(first)
  // JavaScript parses nearly any text with a digit as a date; an HTTP or ISO 8601 date has a year and a time.
  if (!isNumber && !/\d{4}.*\d\d:\d\d/.test(all)) return undefined
  const seconds = isNumber ? Number(first) : (Date.parse(all) - nowMs) / 1000
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(seconds, RETRY_AFTER.least), RETRY_AFTER.most)
}
