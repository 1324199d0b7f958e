import type { BotEvent, Journal } from '@botwright/framework/cluster'

type Group = Parameters<Journal['commit']>[0]

/** Where the feed stands, as Redis keeps it. */
export interface Position {
  after: number
  savedAtMs: number
  /** Counts how often the service's ids began anew: an id means an event only together with it. */
  era: number
}

export interface LeaderJournalOptions {
  position: Position | undefined
  /** There is a new position to be saved, some time soon. */
  moved: (position: Position, reset: boolean) => void
  /** Copies of webhooks that are published, or were known. */
  offersDone: (ids: readonly number[]) => void
  setAside: (event: BotEvent, reason: string) => void
  countSetAside: () => number
}

/**
 * The journal of a leader's feed, in which "finished" means "published". Starts and ends are noted by the owners of the partitions; an event
 * that is published twice is kept once. So the position alone is kept, written behind.
 */
export function leaderJournal(options: LeaderJournalOptions): Journal & { holds(id: number): boolean } {
  const { moved, offersDone, setAside, countSetAside } = options
  let cursor = options.position
  let era = cursor?.era ?? 0
  const offered = new Set<number>()
  const values = new Map<string, string>()
  let commits = 0
  let closed = false

  return {
    cursor: () => cursor && { after: cursor.after, savedAtMs: cursor.savedAtMs },
    unfinished: () => new Map(),
    doneAboveCursor: () => new Set(),
    bodies: () => [],
    /** Whether a webhook's copy is on its way to the queues. */
    holds: (id) => offered.has(id),
    commit(group: Group) {
      if (closed) return false
      commits++
      for (const { id } of group.offered ?? []) offered.add(id)
      if (offered.size > 0) {
        const done = (group.done ?? []).filter((id) => offered.delete(id))
        if (done.length > 0) offersDone(done)
      }
      if (group.reset) era++
      if (group.cursor) cursor = { ...group.cursor, era }
      if (cursor && (group.cursor || group.reset)) moved({ ...cursor, era }, group.reset === true)
      for (const { event, reason } of group.setAside ?? []) setAside(event, reason)
      return true
    },
    setAside(event, reason) {
      setAside(event, reason)
      return true
    },
    // Events that were set aside are everybody's: `Cluster.status` lists them, and `Cluster.replay` runs them again.
    listSetAside: () => [],
    takeSetAside: () => undefined,
    countSetAside,
    replayRequests: () => [],
    dropReplayRequest: () => {},
    stats: () => ({ commits, bytes: 0, failingSinceMs: undefined }),
    getValue: (key) => values.get(key),
    setValue(key, value) {
      values.set(key, value)
      return true
    },
    close() {
      closed = true
    },
    [Symbol.dispose]() {
      closed = true
    },
  }
}
