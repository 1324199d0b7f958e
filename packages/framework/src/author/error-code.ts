import type { BotwrightError } from '@botwright/protocol/facts'
import type { ErrorCode } from '@botwright/protocol/shapes'

/** The code of a Botwright error. Checked by shape, not by class: a built bot may contain its own copy of the class. */
export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_')
    ? (error as BotwrightError).code
    : undefined

/** Whether an error has this code, and so a message that can be shown. */
export const hasCode = (error: unknown, code: ErrorCode): error is BotwrightError => codeOf(error) === code

/** Whether this error means that a click can no longer be answered. */
export const endsAnswers = (error: unknown): boolean =>
  hasCode(error, 'ERR_ANSWERS_USED_UP') ||
  hasCode(error, 'ERR_INTERACTION_EXPIRED') ||
  hasCode(error, 'ERR_INTERACTION_UNKNOWN')
