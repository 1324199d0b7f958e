// Parses the arguments and the options of commands.

import { InvalidArgumentError } from 'commander'

export const runStates = ['waiting', 'done', 'failed', 'cancelled', 'ended'] as const

export function readRunState(text: string): (typeof runStates)[number] {
  const found = runStates.find((state) => state === text)
  if (!found) throw new InvalidArgumentError(`must be one of ${runStates.join(', ')}`)
  return found
}

/** Parses the id of a durable run: that of its event, for an event handler with its file. Histories show events as `#1042`. */
export function readRunId(text: string): string {
  if (text === '' || text.length > 600) throw new InvalidArgumentError('a run id is from 1 to 600 characters')
  return text.replace(/^#(?=\d)/, '')
}

export function readLimit(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('must be a positive number')
  return count
}

/** Parses `--workers`. */
export function readWorkers(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 64)
    throw new InvalidArgumentError('must be a number from 1 to 64')
  return count
}

/** Parses the argument of `cluster partitions`. */
export function readPartitionCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 1024)
    throw new InvalidArgumentError('must be a number from 1 to 1024')
  return count
}
