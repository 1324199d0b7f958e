import { posix } from 'node:path'
import { systemClock } from '@botwright/clock'
import { isTime } from '@botwright/protocol/facts'
import { InvalidArgumentError } from 'commander'
import { durationExamples, parseDuration } from '../../author/time/duration.ts'
import { wholeNumber } from '../../program/whole-number.ts'
import type { RecordedBy } from '../history/choose-history.ts'

/** Reads the value of `--since`, a duration or a time, as milliseconds since 1970. */
export function readSince(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return systemClock.now() - ms
  if (!isTime(text))
    throw new InvalidArgumentError(`must be a duration (${durationExamples}) or a time (2026-01-31T08:00)`)
  // In the zone of the computer, as other times in a terminal: JavaScript reads a date alone in UTC.
  return Date.parse(/^[\d-]+$/.test(text) ? `${text}T00:00` : text)
}

/** Reads a number of at least 1, such as the value of `--lines`. */
export function readCount(text: string): number {
  const count = wholeNumber(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number of at least 1')
  return count
}

/** Reads the value of `--from`: the program that recorded. */
export function readProgram(text: string): RecordedBy {
  if (text !== 'dev' && text !== 'start') throw new InvalidArgumentError('must be dev or start')
  return text
}

/** Reads the value of `--file`, a file of the bot: shells complete it as `./commands/ping.ts`, and on Windows with backslashes. */
export const readFile = (text: string): string => posix.normalize(text.replaceAll('\\', '/'))
