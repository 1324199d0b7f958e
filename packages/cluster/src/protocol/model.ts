// Each Redis script of the protocol as a small function over plain data. `lib/events/protocol-scripts.redis.test.ts` compares both.

import { GIVE_UP_MS, sawFailure, TURN_MS } from './clicks.ts'
import type { Assignment } from './ownership.ts'

interface Entry {
  id: number
  event: string
  /** The time of the click's turn, if the event is a click. */
  turnAtMs?: number
}

/** All keys of the protocol. A missing field is an empty text or 0, as in the scripts. */
export interface Model {
  nowMs: number
  /** The last entry id that Redis has given. */
  lastEntry: number
  term: number
  position: { after: number; era: number } | undefined
  /** The instances whose lease is there. */
  leases: Set<string>
  owners: Map<number, string>
  moves: Map<number, string>
  /** Grows with every change that instances must look at. */
  changes: number
  seen: Map<string, number>
  /** The leader's last write. A connection that was given up may still deliver older ones. */
  leaderWrite: { term: number; number: number }
  /** The number of the last commit of each instance. */
  commits: Map<string, number>
  streams: Map<number, Entry[]>
  begun: Map<number, Map<number, string>>
  /** The next turn of each open click. */
  acks: Map<string, number>
  clicks: Map<string, { dueAtMs: number; click: string }>
}

export const newModel = (): Model => ({
  nowMs: 0,
  lastEntry: 0,
  term: 0,
  position: undefined,
  leases: new Set(),
  owners: new Map(),
  moves: new Map(),
  changes: 0,
  seen: new Map(),
  leaderWrite: { term: 0, number: 0 },
  commits: new Map(),
  streams: new Map(),
  begun: new Map(),
  acks: new Map(),
  clicks: new Map(),
})

export interface Published {
  /** `<era>.<id>` */
  name: string
  id: number
  partition: number
  event: string
  click?: { interactionId: string; delayMs: number; click: string }
}

/** A write of the leader. Its number grows with each write of a term, and stays when it is sent again. */
export interface LeaderWrite {
  term: number
  number: number
}

/** Notes a write of the leader. False: it was done before, and later writes may have been done since. */
function isNew({ leaderWrite }: Model, { term, number }: LeaderWrite): boolean {
  if (leaderWrite.term === term && number <= leaderWrite.number) return false
  leaderWrite.term = term
  leaderWrite.number = number
  return true
}

/** Adds the events that were not added before. Returns how many, or -1: a newer term has begun. */
export function publish(model: Model, write: LeaderWrite & { events: readonly Published[] }): number {
  const { term, events } = write
  if (model.term !== term) return -1
  if (!isNew(model, write)) return 0
  let added = 0
  for (const { name, id, partition, event, click } of events) {
    if (model.seen.has(name)) continue
    model.seen.set(name, id)
    const entry: Entry = { id: ++model.lastEntry, event }
    if (click) {
      entry.turnAtMs = model.nowMs + click.delayMs
      model.acks.set(click.interactionId, entry.turnAtMs)
      model.clicks.set(click.interactionId, { dueAtMs: entry.turnAtMs, click: click.click })
    }
    model.streams.set(partition, [...(model.streams.get(partition) ?? []), entry])
    added++
  }
  return added
}

/** Saves the position of the feed and forgets the ids that it has passed. 0: a newer term has begun. */
export function savePosition(
  model: Model,
  write: LeaderWrite & { after: number; era: number; reset: boolean },
): number {
  const { term, after, era, reset } = write
  if (model.term !== term) return 0
  if (!isNew(model, write)) return 1
  model.position = { after, era }
  for (const [name, id] of model.seen) if (reset || id <= after) model.seen.delete(name)
  return 1
}

export interface Committed {
  partition: number
  owner: string
  begin: readonly { entry: number; begun: string }[]
  finish: readonly number[]
}

/**
 * Begins and finishes entries. `number` grows with each commit of the instance, and stays when it is sent again.
 * 0: the lease of the instance has ended, or it no longer owns one of the partitions; nothing was done.
 */
export function commit(
  model: Model,
  { instance, number, partitions }: { instance: string; number: number; partitions: readonly Committed[] },
): number {
  if (!model.leases.has(instance)) return 0
  if (partitions.some(({ partition, owner }) => (model.owners.get(partition) ?? '') !== owner)) return 0
  if (number <= (model.commits.get(instance) ?? 0)) return 1
  model.commits.set(instance, number)
  for (const { partition, begin, finish } of partitions) {
    const begun = model.begun.get(partition) ?? new Map<number, string>()
    model.begun.set(partition, begun)
    for (const entry of finish) begun.delete(entry)
    for (const one of begin) begun.set(one.entry, one.begun)
    const left = (model.streams.get(partition) ?? []).filter(({ id }) => !finish.includes(id))
    model.streams.set(partition, left)
  }
  return 1
}

/** Notes that entries ended without their fault, unless another instance has begun them since. Returns how many were noted. */
export function pardonEntries(
  model: Model,
  entries: readonly { partition: number; entry: number; from: string; to: string }[],
): number {
  let noted = 0
  for (const { partition, entry, from, to } of entries) {
    if (model.begun.get(partition)?.get(entry) !== from) continue
    model.begun.get(partition)!.set(entry, to)
    noted++
  }
  return noted
}

/** Changes owners and moves where both are still as expected. Returns how many, or -1: a newer term has begun. */
export function applyAssignments(
  model: Model,
  { term, changes }: { term: number; changes: readonly Assignment[] },
): number {
  if (model.term !== term) return -1
  let applied = 0
  for (const { partition, from, to } of changes) {
    if ((model.owners.get(partition) ?? '') !== from.owner || (model.moves.get(partition) ?? '') !== from.move) continue
    model.owners.set(partition, to.owner)
    if (to.move === '') model.moves.delete(partition)
    else model.moves.set(partition, to.move)
    applied++
  }
  if (applied > 0) model.changes++
  return applied
}

/** Gives partitions to the instances that they are to move to, or to none. Returns how many: only those that the caller still owns. */
export function release(model: Model, partitions: readonly { partition: number; owner: string }[]): number {
  let released = 0
  for (const { partition, owner } of partitions) {
    if (owner === '' || (model.owners.get(partition) ?? '') !== owner) continue
    const epoch = Number(owner.slice(owner.lastIndexOf('#') + 1))
    model.owners.set(partition, `${model.moves.get(partition) ?? ''}#${epoch + 1}`)
    model.moves.delete(partition)
    released++
  }
  if (released > 0) model.changes++
  return released
}

/** Takes the turn of a click if its time is still the expected one. Returns the new time; 0: others took it, or it is answered. */
export function takeTurn(
  model: Model,
  { interactionId, turnAtMs }: { interactionId: string; turnAtMs: number },
): number {
  if (model.acks.get(interactionId) !== turnAtMs) return 0
  const taken = Math.max(model.nowMs, turnAtMs + 1)
  model.acks.set(interactionId, taken)
  return taken
}

/** These clicks are answered. */
export function removeClicks(model: Model, interactionIds: readonly string[]): number {
  let removed = 0
  for (const id of interactionIds) {
    if (model.acks.delete(id)) removed++
    model.clicks.delete(id)
  }
  return removed
}

export interface Swept {
  /** The earliest turn of the clicks that are left; -1: there is none. */
  nextTurnAtMs: number
  taken: { interactionId: string; turnAtMs: number; click: string }[]
}

/** Takes the turns of all clicks whose owner is silent, except those that failed before this instance joined. */
export function sweepClicks(model: Model, { sinceMs }: { sinceMs: number }): Swept {
  const { nowMs, acks, clicks } = model
  const taken: Swept['taken'] = []
  const inOrder = [...acks].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
  for (const [interactionId, turnAtMs] of inOrder) {
    if (turnAtMs + TURN_MS > nowMs || sawFailure(turnAtMs, sinceMs)) continue
    const { dueAtMs = 0, click = '' } = clicks.get(interactionId) ?? {}
    if (nowMs > dueAtMs + GIVE_UP_MS) {
      removeClicks(model, [interactionId])
      continue
    }
    acks.set(interactionId, nowMs)
    taken.push({ interactionId, turnAtMs: nowMs, click })
  }
  const left = [...acks.values()].filter((turnAtMs) => !sawFailure(turnAtMs, sinceMs))
  return { nextTurnAtMs: left.length > 0 ? Math.min(...left) : -1, taken }
}
