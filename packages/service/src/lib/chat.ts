import type { Clock } from '@botwright/clock'
import type { Database } from '@botwright/sqlite'
import type { ContentRules } from './rule-set.ts'
import type { Directory } from './db/directory.ts'
import type { Sql } from './db/sql.ts'
import type { Deliveries } from './event-webhooks/deliveries.ts'
import { runLogged } from './failures.ts'
import type { Feed } from './event-feed/feed.ts'
import type { Inspection } from './inspection.ts'
import type { ClockFollowers } from './framework-dev/clock-followers.ts'
import type { CommandHelp } from './people-api/resources.ts'
import type { Presences } from './stream/presence.ts'
import type { RateWindows } from './rate-windows.ts'
import { Refusal } from './refusal.ts'
import type { Replays } from './framework-dev/replays.ts'
import type { Stream } from './stream/stream.ts'
import type { CodeProblems } from './framework-dev/code-problems.ts'
import type { Timelines } from './framework-dev/timelines.ts'

interface WaitingCall {
  run: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** The state shared by all handlers. Durable state is in the database; the rest is about open connections and rates. */
export interface Chat {
  db: Database
  sql: Sql
  directory: Directory
  clock: Clock
  /** The origin of the service, for the URLs of uploads. */
  origin: string
  rules: ContentRules
  feed: Feed
  stream: Stream
  presences: Presences
  rates: RateWindows
  deliveries: Deliveries
  inspector: Inspection
  /** The described commands of bots under development, by the bot's id. */
  commandHelp: Map<string, readonly CommandHelp[]>
  timelines: Timelines
  codeProblems: CodeProblems
  replays: Replays
  clockFollowers: ClockFollowers
  /** Callbacks to run after the current transaction commits: wake polls, write to streams. */
  afterCommit: (() => void)[]
  /** Calls that the next group commit runs. */
  waitingCalls: WaitingCall[]
  /** Called with 1 when a fault begins to delay a response to a bot, and with -1 at its end. */
  delayedAnswers: { watchers: Set<(change: 1 | -1) => void> }
  /** Set once the service is closed: timers that fire later must not use the database. */
  closed: boolean
}

/** Runs `fn` as one transaction, then its `afterCommit` callbacks, whose errors are only logged: the call has succeeded. A refusal rolls back; its `record` is written afterwards. */
export function atomically<T>(chat: Chat, fn: () => T): T {
  let result: T
  try {
    result = chat.sql.transaction(fn)
  } catch (error) {
    chat.afterCommit = []
    if (error instanceof Refusal && error.record) atomically(chat, error.record)
    throw error
  }
  const callbacks = chat.afterCommit
  chat.afterCommit = []
  for (const callback of callbacks) runLogged('a step after a commit', callback)
  return result
}

/**
 * Runs `fn` at the end of this turn of the event loop, in one transaction with all calls of the turn; each is a savepoint, so a refusal
 * rolls back its own call only. Resolves or rejects after the commit. If the transaction fails, all of its calls reject.
 */
export function inGroupCommit<T>(chat: Chat, fn: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    if (chat.waitingCalls.push({ run: fn, resolve, reject }) === 1) setImmediate(() => commitGroup(chat))
  })
}

/** Rolls back a transaction in which no call has succeeded. */
const nothingToCommit = new Error('nothing to commit')

function commitGroup(chat: Chat): void {
  const calls = chat.waitingCalls
  chat.waitingCalls = []
  let outcomes: Outcome[] = []
  try {
    chat.rates.together(() =>
      atomically(chat, () => {
        outcomes = calls.map((call) => runInGroup(chat, call))
        // SQLite would write the pages that refused calls have changed and changed back.
        if (!outcomes.some(({ stores }) => stores)) throw nothingToCommit
      }),
    )
  } catch (error) {
    if (error !== nothingToCommit)
      outcomes = calls.map(({ reject }) => ({ stores: false, answer: () => reject(error) }))
  }
  for (const { answer } of outcomes) answer()
}

interface Outcome {
  stores: boolean
  /** Answers the call; to be called after the commit. */
  answer: () => void
}

/** Runs a call as a savepoint. */
function runInGroup(chat: Chat, { run, resolve, reject }: WaitingCall): Outcome {
  const callbacks = chat.afterCommit.length
  try {
    const value = chat.sql.transaction(run)
    return { stores: true, answer: () => resolve(value as never) }
  } catch (error) {
    chat.afterCommit.length = callbacks
    if (!(error instanceof Refusal && error.record)) return { stores: false, answer: () => reject(error) }
    return runInGroup(chat, { run: error.record, resolve: () => reject(error), reject })
  }
}
