import { InvalidArgumentError } from 'commander'

/** Reads one more of the ids of events that a command names. */
export function readEventIds(text: string, before: unknown): number[] {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('an event id is a number')
  return [...(before as number[]), id]
}
