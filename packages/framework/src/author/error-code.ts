import type { BotwrightError } from '@botwright/protocol/facts'
import type { ErrorCode } from '@botwright/protocol/shapes'

/** The code of an error of the house. By its look, not its class: a built bot may bring its own copy of the class. */
export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_')
    ? (error as BotwrightError).code
    : undefined

/** Whether an error says so, and so has a message that can be told on. */
export const hasCode = (error: unknown, code: ErrorCode): error is BotwrightError => codeOf(error) === code
