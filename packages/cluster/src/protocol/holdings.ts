// One instance's decisions about the partitions that it owns: plain data in, plain data out.

import { NO_OWNER, type Ownership, ownerText } from './ownership.ts'

/** A partition that this instance owns. */
interface Holding {
  epoch: number
  /** `opening`: its begun entries are being read. `releasing`: nothing more begins, and it is released once nothing runs. */
  phase: 'opening' | 'open' | 'releasing'
  /** Entries that have begun, or are about to, and whose end is not committed. */
  unfinished: number
}

/** An instance's view of its own partitions. */
export interface Holdings {
  readonly instance: string
  /** It leaves the cluster: it begins nothing and opens nothing more. */
  leaving: boolean
  readonly held: Map<number, Holding>
  /** The last epoch in which this instance released a partition: until Redis has done so, an older state of the ownership may be read. */
  readonly released: Map<number, number>
}

/** An instance's reaction to a new state of the ownership. */
export interface Observed {
  /** Partitions to open: read what has begun, then all entries. */
  open: number[]
  /** Partitions to release now, with the text of the owner to release. */
  release: { partition: number; owner: string }[]
  /** Another instance has taken over a partition: this instance's lease must have ended. It stops all that it runs. */
  fenced: boolean
}

export const newHoldings = (instance: string): Holdings => ({
  instance,
  leaving: false,
  held: new Map(),
  released: new Map(),
})

/** Compares the ownership on Redis with what this instance holds. */
export function observe(holdings: Holdings, { owners, moves }: Ownership): Observed {
  const { instance, held, released } = holdings
  const open: number[] = []
  const release: Observed['release'] = []
  let fenced = false
  for (const [partition, holding] of held) {
    const owner = owners.get(partition) ?? NO_OWNER
    if (owner.instance !== instance || owner.epoch !== holding.epoch) fenced = true
    else {
      const move = moves.get(partition)
      if (holdings.leaving || (move !== undefined && move !== instance)) holding.phase = 'releasing'
    }
  }
  for (const [partition, owner] of owners) {
    if (owner.instance !== instance || held.has(partition) || owner.epoch <= (released.get(partition) ?? 0)) continue
    // Assigned before the leader saw that this instance leaves.
    if (holdings.leaving) release.push({ partition, owner: ownerText(owner) })
    else {
      held.set(partition, { epoch: owner.epoch, phase: 'opening', unfinished: 0 })
      open.push(partition)
    }
  }
  return { open, release: [...release, ...takeReleasable(holdings)], fenced }
}

/** The entries of an opened partition may begin. */
export function opened({ held }: Holdings, partition: number): void {
  const holding = held.get(partition)
  if (holding?.phase === 'opening') holding.phase = 'open'
}

/** The instance leaves: every partition may be released (`takeReleasable`) as soon as nothing runs in it. */
export function leave(holdings: Holdings): void {
  holdings.leaving = true
  for (const holding of holdings.held.values()) holding.phase = 'releasing'
}

export const mayBegin = ({ held }: Holdings, partition: number): boolean => held.get(partition)?.phase === 'open'

export function began({ held }: Holdings, partition: number): void {
  held.get(partition)!.unfinished++
}

/** The end of an entry is committed. Returns whether the partition may be released now (`takeReleasable`). */
export function finished({ held }: Holdings, partition: number): boolean {
  const holding = held.get(partition)!
  holding.unfinished--
  return holding.unfinished === 0 && holding.phase === 'releasing'
}

/** Stops holding the partitions that are to be released and in which nothing runs. */
export function takeReleasable({ instance, held, released }: Holdings): Observed['release'] {
  const release: Observed['release'] = []
  for (const [partition, { epoch, phase, unfinished }] of held) {
    if (phase !== 'releasing' || unfinished > 0) continue
    held.delete(partition)
    released.set(partition, epoch)
    release.push({ partition, owner: ownerText({ instance, epoch }) })
  }
  return release
}

/** Stops holding everything, whatever runs: the life of this instance is over. */
export function takeAll({ instance, held }: Holdings): Observed['release'] {
  const release = [...held].map(([partition, { epoch }]) => ({ partition, owner: ownerText({ instance, epoch }) }))
  held.clear()
  return release
}
