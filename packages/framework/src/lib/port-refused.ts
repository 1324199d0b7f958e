import { BotwrightError } from '@botwright/protocol/facts'

/** A port that cannot be listened on, told as what the configuration says of it. */
export function portRefused(
  field: 'health' | 'webhook',
  { port, host }: { port: number; host: string },
  error: unknown,
  fix: string,
): BotwrightError {
  const { code, message } = error as NodeJS.ErrnoException
  const fact = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be listened on (${message})`
  return new BotwrightError('ERR_CONFIG', `${field}: port ${port} of ${host} ${fact}; ${fix}`, { cause: error })
}
