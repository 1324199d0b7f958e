import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError, errorCodes } from '@botwright/protocol/facts'
import { wholeMessage, wholeStack } from './whole-error.ts'
import type { LoggedError, PlainError } from '../messages.ts'

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorCodes

/** The extra fields of an error that can be cloned and logged. */
function factsOf(error: Error): Record<string, unknown> {
  const facts: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(error))
    if (['string', 'number', 'boolean'].includes(typeof value) && key !== 'name') facts[key] = value
  return facts
}

/** Converts an error for the log, to the shape that pino gives an `err`. */
export const toLoggedError = (error: Error): LoggedError => ({
  ...factsOf(error),
  type: (error.constructor as { name?: string } | undefined)?.name || error.name,
  message: wholeMessage(error),
  stack: wholeStack(error),
})

/** Converts an error for another thread. */
export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: wholeMessage(error) }
  const { name, message } = error
  const { code } = error as { code?: unknown }
  const { code: _code, ...facts } = factsOf(error)
  const whole = wholeMessage(error)
  if (whole !== message) facts['reason'] = message === '' ? whole : whole.slice(message.length + 2)
  return {
    name,
    message,
    // Include the stacks of the causes: authors look for the line where the cause was thrown.
    stack: wholeStack(error),
    ...(typeof code === 'string' && { code }),
    ...(Object.keys(facts).length > 0 && { facts }),
  }
}

/** Restores the error of another thread with its class, so that `instanceof` and `code` work as usual. */
export async function fromPlainError(plain: PlainError): Promise<Error> {
  const { name, message, stack, code, facts } = plain
  let error: Error
  if (name === 'ServiceError' && isCode(code)) {
    // The client is slow to load, and no worker needs it before its first refused call.
    const { ServiceError } = await import('@botwright/rest')
    error = new ServiceError(code, message, { status: 0, endpoint: '', ...facts })
  } else if (isCode(code)) error = Object.assign(new BotwrightError(code, message), facts)
  else error = Object.assign(new Error(message), code !== undefined && { code }, facts)
  error.name = name
  if (stack !== undefined) Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return error
}
