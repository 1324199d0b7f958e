import type { RunningWorld, World } from '@botwright/service'
import type { Span } from './duration.ts'

/** The world, the time and the variables of a bot's test. */
export interface TestBotOptions {
  /**
   * Replaces the default world: the server "Workshop" with #general, #random, a private #staff and the voice channel Lounge; ann, who
   * owns it, bob and carol. The world's first bot is the one that runs; without bots, a bot called `bot` is added to all servers.
   */
  world?: World
  /**
   * Environment variables for the bot, in addition to those of its `.env`. They are in `process.env` while it runs. A function gets the ids of
   * the world: `({ servers }) => ({ RELEASES: servers.Workshop.channels.general })`.
   */
  env?: Readonly<Record<string, string>> | ((world: RunningWorld) => Readonly<Record<string, string>>)
  /** The time at the start: `'2026-03-01T08:00:00Z'`. Default: the machine's own time. */
  now?: string | number | Date
  /** Runs handlers in threads, as `framework start` does. A handler that reads the time itself then gets the machine's. */
  workers?: boolean
  /** The lowest level of the lines in `chat.log`. Default `debug`. */
  logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error'
  /**
   * `'on-failure'` writes an HTML file with the timelines of the bot's events when a test fails, to `.botwright/timelines/` in the bot's
   * folder, and prints its path. Only in vitest.
   */
  trace?: 'on-failure'
}

/** Options of a restart. */
export interface RestartOptions {
  /** How long it is down: `'2h'`, `{ days: 2 }`. Default: a tenth of a second. */
  after?: Span
  /** Actions of people while it is down: `() => ann.posts('/remind me')`. The bot receives it when it is back. */
  meanwhile?: () => unknown
}

/** One line of the bot's log. */
export interface LogLine {
  level: string
  msg: string
  /** The time of `chat.clock`. */
  time: string
  [fact: string]: unknown
}

/** A call of the bot with the service's response. Tokens are hidden. */
export interface BotCall {
  method: string
  path: string
  body?: unknown
  status: number
  answer: unknown
}

/** The variables of a test's bot. */
export const envOf = ({ env = {} }: TestBotOptions, world: RunningWorld): Readonly<Record<string, string>> =>
  typeof env === 'function' ? env(world) : env
