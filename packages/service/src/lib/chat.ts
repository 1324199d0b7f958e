import type { Clock } from '@botwright/clock'
import type { Database } from '@botwright/sqlite'
import type { ContentRules } from './rule-set.ts'
import type { Sql } from './db/sql.ts'
import type { Deliveries } from './deliveries.ts'
import { runLogged } from './failures.ts'
import type { Feed } from './feed.ts'
import type { Inspection } from './inspection.ts'
import type { Presences } from './presence.ts'
import type { RateWindows } from './rate-windows.ts'
import { Refusal } from './refusal.ts'
import type { Stream } from './stream.ts'

/** Everything that the handlers share. What must survive is in the database; the rest is about open connections and rates. */
export interface Chat {
  db: Database
  sql: Sql
  clock: Clock
  /** The address of the service, for the addresses of its own uploads. */
  origin: string
  rules: ContentRules
  feed: Feed
  stream: Stream
  presences: Presences
  rates: RateWindows
  deliveries: Deliveries
  inspector: Inspection
  /** What to do once the running request is committed: wake polls, write to streams. */
  afterCommit: (() => void)[]
  /** Set when the service has closed: a timer that fires later must not touch the database. */
  closed: boolean
}

/** Runs `fn` as one transaction, then notifies the others: a failure of that is logged, since the call has succeeded. A refusal undoes everything; what it has to `record` is written after that. */
export function atomically<T>(chat: Chat, fn: () => T): T {
  let result: T
  try {
    result = chat.db.transaction(fn)
  } catch (error) {
    chat.afterCommit = []
    if (error instanceof Refusal && error.record) atomically(chat, error.record)
    throw error
  }
  const told = chat.afterCommit
  chat.afterCommit = []
  for (const tell of told) runLogged('a step after a commit', tell)
  return result
}
