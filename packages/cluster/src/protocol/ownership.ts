// The leader's decisions about partitions: plain data in, plain data out.

import { hash } from './partitions.ts'

/** The owner of a partition. The epoch grows with every change; the id is empty while no instance owns the partition. */
export interface Owner {
  instance: string
  epoch: number
}

/** The owner of each partition, and the instances that partitions are to move to. */
export interface Ownership {
  owners: ReadonlyMap<number, Owner>
  moves: ReadonlyMap<number, string>
}

/**
 * An instance as the leader sees it. `leaving`: it finishes what it runs and takes nothing more. `expired`: its lease has ended, but it
 * may not have stopped its handlers yet. `gone`: its handlers have stopped.
 */
export type Standing = 'active' | 'leaving' | 'expired' | 'gone'

/** One change of a partition. It applies only while owner and move are still what the leader saw. */
export interface Assignment {
  partition: number
  from: { owner: string; move: string }
  to: { owner: string; move: string }
}

export const NO_OWNER: Owner = { instance: '', epoch: 0 }

/** The text of an owner on Redis, `<instance>#<epoch>`. A partition that never had an owner has none: an empty text. */
export const ownerText = ({ instance, epoch }: Owner): string => (epoch === 0 ? '' : `${instance}#${epoch}`)

/** Reads `ownerText`; undefined if it is malformed. */
export function readOwner(text: string): Owner | undefined {
  if (text === '') return NO_OWNER
  const at = text.lastIndexOf('#')
  const epoch = Number(text.slice(at + 1))
  return at < 0 || !Number.isSafeInteger(epoch) || epoch < 1 ? undefined : { instance: text.slice(0, at), epoch }
}

/**
 * Gives every partition without a live owner to an active instance at once, and asks for as few moves between live instances as
 * possible: none if the numbers of partitions differ by at most one. A moving partition changes its owner when the old one releases it.
 */
export function assign(
  { owners, moves }: Ownership,
  partitions: number,
  standings: ReadonlyMap<string, Standing>,
): Assignment[] {
  const standingOf = (instance: string): Standing => (instance === '' ? 'gone' : (standings.get(instance) ?? 'gone'))
  const loads = new Map<string, Set<number>>()
  for (const [instance, standing] of standings) if (standing === 'active') loads.set(instance, new Set())
  if (loads.size === 0) return []
  const targets = new Map<number, string>()
  const aim = (partition: number, instance: string) => {
    const former = targets.get(partition)
    if (former !== undefined) loads.get(former)!.delete(partition)
    targets.set(partition, instance)
    loads.get(instance)!.add(partition)
  }
  const unplaced: number[] = []
  for (let partition = 0; partition < partitions; partition++) {
    const { instance } = owners.get(partition) ?? NO_OWNER
    const move = moves.get(partition)
    const standing = standingOf(instance)
    if (standing === 'expired') continue
    if (move !== undefined && loads.has(move)) aim(partition, move)
    else if (standing === 'active') aim(partition, instance)
    else unplaced.push(partition)
  }
  for (const partition of unplaced) aim(partition, leastLoaded(loads, partition))
  balance(owners, loads, aim)
  return changesOf({ owners, moves }, targets, standingOf)
}

function balance(
  owners: Ownership['owners'],
  loads: ReadonlyMap<string, ReadonlySet<number>>,
  aim: (partition: number, instance: string) => void,
): void {
  for (;;) {
    const bySize = [...loads].sort(([a, x], [b, y]) => x.size - y.size || (a < b ? -1 : 1))
    const [least, few] = bySize[0]!
    const [most, many] = bySize.at(-1)!
    if (many.size - few.size <= 1) return
    // A move that has not happened yet costs nothing to redirect; one back to the owner undoes it.
    const cost = (partition: number): number => {
      const { instance } = owners.get(partition) ?? NO_OWNER
      return instance === least ? 0 : instance === most ? 2 : 1
    }
    const [cheapest] = [...many].sort((a, b) => cost(a) - cost(b) || score(b, least) - score(a, least) || a - b)
    aim(cheapest!, least)
  }
}

/** The active instance with the fewest partitions; among equals, the one with the highest score. */
function leastLoaded(loads: ReadonlyMap<string, ReadonlySet<number>>, partition: number): string {
  let best: string | undefined
  for (const [instance, { size }] of loads) {
    const least = best === undefined ? Infinity : loads.get(best)!.size
    if (size < least || (size === least && score(partition, instance) > score(partition, best!))) best = instance
  }
  return best!
}

/** Rendezvous hashing: every leader comes to the same preference. */
const score = (partition: number, instance: string): number => hash(`${partition} ${instance}`)

function changesOf(
  { owners, moves }: Ownership,
  targets: ReadonlyMap<number, string>,
  standingOf: (instance: string) => Standing,
): Assignment[] {
  const changes: Assignment[] = []
  for (const [partition, target] of targets) {
    const owner = owners.get(partition) ?? NO_OWNER
    const from = { owner: ownerText(owner), move: moves.get(partition) ?? '' }
    const to =
      standingOf(owner.instance) === 'gone'
        ? { owner: ownerText({ instance: target, epoch: owner.epoch + 1 }), move: '' }
        : { owner: from.owner, move: target === owner.instance ? '' : target }
    if (to.owner !== from.owner || to.move !== from.move) changes.push({ partition, from, to })
  }
  return changes
}
