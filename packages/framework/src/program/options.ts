// Arguments and options of several commands.

import { InvalidArgumentError } from 'commander'
import { wholeNumber } from './whole-number.ts'

/** Parses an event id, as in `1042` or, as histories show it, `#1042`. */
export function readEventId(text: string): number {
  const id = wholeNumber(text.replace(/^#/, ''))
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('an event id is a number, such as 1042')
  return id
}

/** Parses an event id and appends it to the previous ones. */
export const readEventIds = (text: string, before: unknown): number[] => [...(before as number[]), readEventId(text)]

/** Parses `--workers`. */
export function readWorkers(text: string): number {
  const count = wholeNumber(text)
  if (!(count >= 1 && count <= 64)) throw new InvalidArgumentError('must be a number from 1 to 64')
  return count
}

export const clusterOption = [
  '--cluster <url>',
  'the Redis that the instances share (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)',
] as const
