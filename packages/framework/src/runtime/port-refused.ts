import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'

/** A port that cannot be listened on, told as what the configuration says of it. */
export function portRefused(
  field: 'health' | 'webhook',
  { port, host }: { port: number; host: string },
  error: unknown,
  fix: string,
): BotwrightError {
  const { message } = error as Error
  const fact = isTaken(error) ? 'is in use by another program' : `cannot be opened (${message})`
  return new BotwrightError('ERR_CONFIG', `${field}: port ${port} of ${host} ${fact}; ${fix}`, { cause: error })
}

/** Whether another process holds the port that `portRefused` named: it may go away, so another start can help. */
export const isPortTaken = (error: unknown): boolean => isBotwrightError(error) && isTaken(error.cause)
