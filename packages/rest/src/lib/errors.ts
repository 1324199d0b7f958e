import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError, errorStatuses, shortened } from '@botwright/protocol/facts'
import { inspect } from 'node:util'

/** The facts of a `ServiceError` besides its code and message. */
export interface ServiceErrorFacts {
  /** The HTTP status; 0 if no response arrived. */
  status: number
  /** The endpoint's name, such as `messages.create`. Never its URL. */
  endpoint: string
  retryAfterSeconds?: number | undefined
  webhookCode?: number | undefined
  cause?: unknown
}

/** A call that the service refused, or that got no complete response (§7). Contains no URL, body or token. */
export class ServiceError extends BotwrightError {
  readonly status: number
  readonly endpoint: string
  /** How long the service asked to wait (429). Without it, waiting does not help (§7). */
  declare readonly retryAfterSeconds?: number
  /** The code in the error body of a channel webhook (§7). */
  declare readonly webhookCode?: number

  constructor(code: ErrorCode, message: string, facts: ServiceErrorFacts) {
    super(code, message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'ServiceError'
    this.status = facts.status
    this.endpoint = facts.endpoint
    if (facts.retryAfterSeconds !== undefined) this.retryAfterSeconds = facts.retryAfterSeconds
    if (facts.webhookCode !== undefined) this.webhookCode = facts.webhookCode
  }
}

const TOKEN_IN_PATH = /(\/interactions\/[^/\s"']+\/)[^/\s"']+/g
const AUTHORIZATION = /\bBot\s+[\w.~+/=-]{8,}/g
const LONGEST_TEXT = 500

/** Removes every secret from an external text, and shortens it. */
export function redact(text: string, secrets: readonly string[]): string {
  const clean = scrub(text, secrets)
  return shortened(clean, LONGEST_TEXT)
}

function scrub(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret === '') continue
    clean = clean.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
  }
  return clean.replace(TOKEN_IN_PATH, '$1***').replace(AUTHORIZATION, 'Bot ***')
}

/** The cause, or undefined if it contains a secret. */
export function cleanCause(cause: unknown, secrets: readonly string[]): unknown {
  if (cause === undefined) return undefined
  // At least as deep as a log prints it.
  const shown = inspect(cause, { depth: 10, maxStringLength: null, maxArrayLength: null })
  return scrub(shown, secrets) === shown ? cause : undefined
}

const codeOfStatus: Partial<Record<number, ErrorCode>> = {
  401: 'ERR_UNAUTHORIZED',
  403: 'ERR_FORBIDDEN',
  429: 'ERR_RATE_LIMITED',
}

/** The error of a refusal (§7). `text` is the service's own message, already redacted. */
export function refusal(endpoint: string, status: number, text: string, retryAfterSeconds?: number): ServiceError {
  const words = text === '' ? (errorStatuses[status as keyof typeof errorStatuses] ?? 'no reason given') : text
  const fix =
    status === 401
      ? '; set BOT_TOKEN to the token of this bot'
      : status === 429 && retryAfterSeconds === undefined
        ? '; waiting does not help (no Retry-After)'
        : ''
  return new ServiceError(
    codeOfStatus[status] ?? 'ERR_REFUSED',
    `${endpoint}: the service answered ${status}: ${words}${fix}`,
    { status, endpoint, retryAfterSeconds },
  )
}

/** The error of a call that its caller aborted. */
export const aborted = (endpoint: string, cause?: unknown): ServiceError =>
  new ServiceError('ERR_ABORTED', `${endpoint}: the caller aborted the call`, { status: 0, endpoint, cause })
