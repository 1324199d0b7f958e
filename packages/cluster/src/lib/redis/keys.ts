import { createHash } from 'node:crypto'

/**
 * The names of everything that a bot keeps on Redis: one prefix for each bot, with a hash tag, so that a Redis Cluster keeps all of it together.
 * By base URL and bot id, never by token: a new token is the same bot.
 */
export interface Keys {
  /** Of all keys, without a colon at its end. */
  readonly prefix: string
  /** Hash: the layout's number and what must be equal on all instances; and a mark (`birth`) by which a loss of all that is kept is noticed. */
  readonly layout: string
  /** Counter: the instances' numbers. */
  readonly instanceNumbers: string
  /** Is there while the lease of the instance of that number holds: the fence of what it writes. */
  member(number: number): string
  /** Hash: the notes that instances publish about themselves. */
  readonly instances: string
  /** The leader's lease, and the counter of terms. */
  readonly leader: string
  readonly terms: string
  /** Hash: the position of the feed. */
  readonly position: string
  /** Sorted set: the ids that were published and that the position has not passed yet. */
  readonly seen: string
  /** Hash: the number of the leader's last write, and of each instance's last commit. */
  readonly writes: string
  /** Hash: the owner of each partition (`ownerText`). Hash: the instances that partitions are to move to. */
  readonly owners: string
  readonly moves: string
  /** Stream of one entry: it changes when instances must look at the ownership again. */
  readonly changes: string
  /** Stream: the events of a partition that are not finished, in order. */
  events(partition: number): string
  /** Hash: how often the entries of a partition have begun that are not finished (`begunText`). */
  begun(partition: number): string
  /** Sorted set: the open clicks, by the time of their next turn. Hash: the data to acknowledge them. */
  readonly acks: string
  readonly clicks: string
  /** Hash: webhook copies that are not published yet. */
  readonly offers: string
  /** Hash: events that are tried no more. */
  readonly setAside: string
  /** Hash: which instance's handler waits for the next event of a key (`answerKey`). */
  readonly waits: string
  /** An event that this instance asks another one to run, under a number, and how that went. Short-lived. */
  forward(instance: string, n: number | string): { readonly event: string; readonly taken: string }
  /** Held by the instance whose turn it is to do something that only one does at a time. */
  alone(what: string): string
  /** Is there for a moment, to see whether it can be. */
  readonly probe: string
  /** One value of the state; the sets of their keys, by name and by the time of their end; the counter of versions; one write that was done. */
  readonly state: {
    readonly value: string
    readonly names: string
    readonly ends: string
    readonly versions: string
    readonly written: string
  }
  /** The slots of the message budget, and the waiting instances. */
  readonly limits: { readonly slots: string; readonly wanted: string }
  /** A channel of pub/sub. Redis does not keep those apart by database. */
  channel(name: string): string
}

export function keysOf(baseUrl: string, botId: string): Keys {
  const bot = createHash('sha256')
    .update(`${baseUrl.replace(/\/+$/, '')}\n${botId}`)
    .digest('hex')
    .slice(0, 16)
  const prefix = `botwright:{${bot}}`
  return {
    prefix,
    layout: `${prefix}:layout`,
    instanceNumbers: `${prefix}:instance-numbers`,
    member: (number) => `${prefix}:member:${number}`,
    instances: `${prefix}:instances`,
    leader: `${prefix}:leader`,
    terms: `${prefix}:terms`,
    position: `${prefix}:position`,
    seen: `${prefix}:seen`,
    writes: `${prefix}:writes`,
    owners: `${prefix}:owners`,
    moves: `${prefix}:moves`,
    changes: `${prefix}:changes`,
    events: (partition) => `${prefix}:ev:${partition}`,
    begun: (partition) => `${prefix}:begun:${partition}`,
    acks: `${prefix}:acks`,
    clicks: `${prefix}:clicks`,
    offers: `${prefix}:offers`,
    setAside: `${prefix}:set-aside`,
    waits: `${prefix}:waits`,
    forward: (instance, n) => ({
      event: `${prefix}:forward:${instance}:${n}`,
      taken: `${prefix}:forward-taken:${instance}:${n}`,
    }),
    alone: (what) => `${prefix}:alone:${what}`,
    probe: `${prefix}:probe`,
    state: {
      value: `${prefix}:state:`,
      names: `${prefix}:state-names`,
      ends: `${prefix}:state-ends`,
      versions: `${prefix}:state-versions`,
      written: `${prefix}:state-written:`,
    },
    limits: {
      slots: `${prefix}:limits-slots`,
      wanted: `${prefix}:limits-wanted`,
    },
    channel: (name) => `${prefix}:say:${name}`,
  }
}
