import { type BotEvent, type EventKey, eventKey, type Journal } from '@botwright/framework/cluster'

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
export function leaderJournal(options: LeaderJournalOptions): Journal & { holds(event: BotEvent): boolean } {
  const { moved, offersDone, setAside, countSetAside } = options
  let cursor = options.position
  /** The webhook copies that are on their way to the queues, and their ids. */
  const offered = new Map<EventKey, number>()
  const values = new Map<string, string>()
  let commits = 0
  let closed = false

  return {
    cursor: () => cursor,
    unfinished: () => new Map(),
    doneAboveCursor: () => new Set(),
    bodies: () => [],
    replayed: () => new Set(),
    /** Whether a webhook's copy is on its way to the queues. */
    holds: (event) => offered.has(eventKey(event)),
    commit(group: Group) {
      if (closed) return false
      commits++
      for (const event of group.offered ?? []) offered.set(eventKey(event), event.id)
      if (offered.size > 0) {
        const done = (group.done ?? []).flatMap((key) => {
          const id = offered.get(key)
          return id !== undefined && offered.delete(key) ? [id] : []
        })
        if (done.length > 0) offersDone(done)
      }
      if (group.cursor) moved((cursor = { era: 0, ...group.cursor }), group.reset === true)
      for (const { event, reason } of group.setAside ?? []) setAside(event, reason)
      return true
    },
    setAside(event, reason) {
      setAside(event, reason)
      return true
    },
    // Events that were set aside are everybody's: `Cluster.status` lists them, and `Cluster.replay` runs them again.
    listSetAside: () => [],
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
