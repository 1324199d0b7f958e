import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'

/** The error for a port that cannot be opened, with the configuration field that sets it. */
export function portRefused(
  field: 'health' | 'http' | 'webhook',
  { port, host }: { port: number; host: string },
  error: unknown,
  fix: string,
): BotwrightError {
  const { message } = error as Error
  const fact = isTaken(error) ? 'is in use by another program' : `cannot be opened (${message})`
  return new BotwrightError('ERR_CONFIG', `${field}: port ${port} of ${host} ${fact}; ${fix}`, { cause: error })
}

/** Whether the error of `portRefused` means that another process uses the port. That process may exit, so a later start can work. */
export const isPortTaken = (error: unknown): boolean => isBotwrightError(error) && isTaken(error.cause)
