import type { BotwrightError } from '@botwright/protocol/facts'
import type { ErrorCode } from '@botwright/protocol/shapes'

/** The code of a Botwright error. Checked by shape, not by class: a built bot may contain its own copy of the class. */
export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_')
    ? (error as BotwrightError).code
    : undefined

/** Whether an error has one of these codes, and so a message that can be shown. */
export const hasCode = (error: unknown, ...codes: ErrorCode[]): error is BotwrightError =>
  codes.includes(codeOf(error)!)

/** Whether the click can no longer be answered. */
export const endsAnswers = (error: unknown): boolean =>
  hasCode(error, 'ERR_ANSWERS_USED_UP', 'ERR_INTERACTION_EXPIRED', 'ERR_INTERACTION_UNKNOWN') ||
  // Only the service knows of answers before a restart: it refuses the eleventh without `Retry-After` (decisions row 23).
  (hasCode(error, 'ERR_RATE_LIMITED') && (error as { retryAfterSeconds?: number }).retryAfterSeconds === undefined)

// Whether the message that a reply refers to is gone. A 400 has no code of its own, only a text (§7; decisions row 34).
export const isReplyGone = (error: unknown): boolean =>
  (error as { status?: unknown }).status === 400 && /reply/i.test(String((error as Error).message))
