import { durationExamples, parseDuration } from '@botwright/framework/replay'
import { wholeNumber } from '@botwright/framework/start'
import { limits } from '@botwright/protocol/facts'
import { InvalidArgumentError, Option } from 'commander'
import { LONGEST_OPTIONS } from '../plugins/longest-options.ts'

export { readCount, readFile, readProgram, readSince } from '@botwright/framework/start'

/** Reads how often a platform runs the scheduled part of functions, such as `5m`, as milliseconds. */
export function readSchedule(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError(`must be a duration (${durationExamples})`)
  if (ms > limits.event_retention.seconds * 1000)
    throw new InvalidArgumentError('must be at most 1d: the service keeps events for one day')
  return ms
}

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

/** Reads the value of `--options`: an object as JSON. */
export function readOptions(text: string): Readonly<Record<string, unknown>> {
  const expected = `must be an object as JSON of at most ${LONGEST_OPTIONS} characters, such as '{"channel":"general"}'`
  if (text.length > LONGEST_OPTIONS) throw new InvalidArgumentError(expected)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw new InvalidArgumentError(`${expected} (${(error as Error).message})`)
  }
  throw new InvalidArgumentError(expected)
}
