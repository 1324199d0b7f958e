import { posix } from 'node:path'
import { durationExamples, parseDuration } from '@botwright/framework/replay'
import { wholeNumber } from '@botwright/framework/start'
import { isTime } from '@botwright/protocol/facts'
import { InvalidArgumentError, Option } from 'commander'
import type { RecordedBy } from '@botwright/framework/replay'
import { slashed } from '../files/path-below.ts'

/** Reads the value of `--since`, a duration or a time, as milliseconds since 1970. */
export function readSince(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return Date.now() - ms
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
export const readFile = (text: string): string => posix.normalize(slashed(text))

/** Reads the value of `--port`. */
export function readPort(text: string): number {
  const port = wholeNumber(text)
  if (!(port <= 65_535)) throw new InvalidArgumentError('must be a port, from 0 to 65535')
  return port
}

/** Reads the value of `--seconds`, which may have a fraction. */
export function readSeconds(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN
  if (!(seconds <= 3600)) throw new InvalidArgumentError('must be a number of seconds, up to 3600')
  return seconds
}

/** The option of commands that use the local service. */
export const serviceOption = (): Option =>
  new Option('--service <url>', 'address of the local service (default: that of framework dev in this folder)')

/** The option of commands that are about one bot of the local service. */
export const botOption = (): Option =>
  new Option('--bot <name>', 'username of the bot (default: that of this folder, or the only one)')
