import { InvalidArgumentError } from 'commander'

/** Reads `--workers`. */
export function readWorkers(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 64)
    throw new InvalidArgumentError('must be a number from 1 to 64')
  return count
}
