import type { Standing } from '../protocol/ownership.ts'
import { type Member, Wire } from './wire.test.fixture.ts'
import { PARTITIONS, type SimEvent } from './world.test.fixture.ts'

const LEASE_MS = 2000
const MARGIN_MS = 500
const RENEW_MS = 600
const SWEEP_MS = 1000
const GRACE_MS = 500
const POLL_MS = 60
const RETRY_MS = 100
const SAVE_MS = 200
/** A click is acknowledged so long after it was made. */
const ACK_AFTER_MS = 2000

/** One term of a leader. */
interface Term {
  number: number
  /** Ids that were polled, in order, and how many of them are published. */
  polled: SimEvent[]
  published: number
  after: number
  savedAfter: number
  isSaveDue: boolean
  /** The number of its last write. */
  writes: number
  writing: boolean
  over: boolean
}

/** The work of the leader: it polls the service, publishes, saves the position and assigns partitions. */
export class Leader {
  readonly #instance: Member
  readonly #wire: Wire
  #term: Term | undefined
  #renewedAtMs = -Infinity
  #sentAtMs = -Infinity
  #expired = new Map<string, number>()
  #sweptAtMs = -Infinity
  #known = new Set<string>()
  #isDirty = true

  constructor(instance: Member) {
    this.#instance = instance
    this.#wire = new Wire(instance)
  }

  changed(): void {
    this.#isDirty = true
    if (this.#term) this.#sweep(this.#term)
  }

  /** The instance's own lease has ended. */
  drop(): void {
    if (this.#term) this.#term.over = true
    this.#term = undefined
  }

  resign(): void {
    const { world } = this.#instance
    const term = this.#term
    this.drop()
    if (!term) return
    const holder = this.#holder(term)
    this.#wire.call(
      () => {
        if (world.leader?.holder === holder) world.leader = undefined
        return 1
      },
      () => {},
    )
  }

  #holder(term: { number: number }): string {
    return `${this.#instance.name}:${term.number}`
  }

  /** By its own clock, it leads for certain. */
  #isSure(): boolean {
    return this.#instance.world.nowMs - this.#renewedAtMs < LEASE_MS - MARGIN_MS
  }

  tick(): void {
    const { world, sure, leaving } = this.#instance
    const term = this.#term
    if (term) {
      if (world.nowMs - this.#renewedAtMs >= LEASE_MS) return this.drop()
      if (world.nowMs - this.#sentAtMs >= RENEW_MS) this.#renew(term)
      if (world.nowMs - this.#sweptAtMs >= SWEEP_MS) this.#sweep(term)
    } else if (sure && !leaving && world.nowMs - this.#sentAtMs >= RETRY_MS) this.#stand()
  }

  #stand(): void {
    const { world, name } = this.#instance
    const sentAtMs = (this.#sentAtMs = world.nowMs)
    this.#wire.call(
      () => {
        if (world.leader && world.leader.endsAtMs > world.nowMs) return { number: 0, position: undefined }
        const number = ++world.redis.term
        world.leader = { holder: `${name}:${number}`, endsAtMs: world.nowMs + LEASE_MS }
        return { number, position: world.redis.position }
      },
      (reply) => {
        if (!reply || reply.number === 0 || this.#term) return
        if (world.nowMs - sentAtMs >= LEASE_MS - MARGIN_MS || !this.#instance.sure) return
        this.#renewedAtMs = sentAtMs
        const after = reply.position?.after ?? 0
        world.note(`${name} leads term ${reply.number} after ${after}`)
        const term: Term = {
          ...{
            number: reply.number,
            polled: [],
            published: 0,
            after,
            savedAfter: after,
            isSaveDue: false,
            writes: 0,
            writing: false,
            over: false,
          },
        }
        this.#term = term
        this.#expired.clear()
        this.#known.clear()
        this.#isDirty = true
        this.#poll(term)
        this.#sweep(term)
        this.#saveLater(term)
      },
    )
  }

  #renew(term: Term): void {
    const { world } = this.#instance
    const sentAtMs = (this.#sentAtMs = world.nowMs)
    const holder = this.#holder(term)
    this.#wire.call(
      () => {
        if (world.leader?.holder !== holder || world.leader.endsAtMs <= world.nowMs) return 0
        world.leader.endsAtMs = world.nowMs + LEASE_MS
        return 1
      },
      (reply) => {
        if (term.over || reply === undefined) return
        if (reply === 1) this.#renewedAtMs = sentAtMs
        else this.drop()
      },
    )
  }

  // The feed.

  #poll(term: Term): void {
    if (term.over) return
    const { world } = this.#instance
    const again = () => this.#instance.after(POLL_MS, () => this.#poll(term))
    if (!this.#isSure()) return again()
    const after = term.polled.at(-1)?.id ?? term.after
    // The poll takes its time; the leader may change meanwhile.
    const found = world.poll(after)
    this.#instance.after(1 + world.int(20), () => {
      if (term.over) return
      term.polled.push(...found)
      this.#write(term)
      again()
    })
  }

  #insist<T>(term: Term, command: () => T, done: (reply: T) => void): void {
    if (term.over) return
    const again = () => this.#instance.after(RETRY_MS, () => this.#insist(term, command, done))
    if (!this.#isSure()) return again()
    this.#wire.call(command, (reply) => {
      if (term.over) return
      if (reply === undefined) again()
      else done(reply)
    })
  }

  /** Writes one command after the other: the position when it is due, then the next batch of events. */
  #write(term: Term): void {
    if (term.writing || term.over) return
    if (term.isSaveDue) return this.#save(term)
    if (term.published === term.polled.length) return
    term.writing = true
    const { world } = this.#instance
    const write = { term: term.number, number: ++term.writes }
    const batch = term.polled.slice(term.published, term.published + 5)
    const events = batch.map(({ id, queue, atMs, click }) => ({
      ...{ name: `0.${id}`, id, partition: queue % PARTITIONS, event: String(id) },
      ...(click && {
        click: { interactionId: String(id), delayMs: Math.max(0, atMs + ACK_AFTER_MS - world.nowMs), click: '' },
      }),
    }))
    this.#insist(
      term,
      () => world.p.publish(world.script(), { ...write, events }),
      (added) => {
        if (added < 0) return this.resign()
        term.published += batch.length
        term.writing = false
        this.#write(term)
      },
    )
  }

  #saveLater(term: Term): void {
    this.#instance.after(SAVE_MS, () => {
      if (term.over) return
      term.isSaveDue = true
      this.#write(term)
      this.#saveLater(term)
    })
  }

  #save(term: Term): void {
    term.isSaveDue = false
    const { world } = this.#instance
    const ids = term.polled.map(({ id }) => id)
    const after = world.p.positionAfter(ids, term.published) || term.after
    if (after === term.savedAfter) return this.#write(term)
    term.writing = true
    const position = { term: term.number, number: ++term.writes, after, era: 0, reset: false }
    this.#insist(
      term,
      () => world.p.savePosition(world.script(), position),
      (saved) => {
        if (saved === 0) return this.resign()
        term.savedAfter = after
        term.writing = false
        this.#write(term)
      },
    )
  }

  // The partitions.

  #sweep(term: Term): void {
    const { world } = this.#instance
    this.#sweptAtMs = world.nowMs
    const known = this.#known
    this.#wire.call(
      () => ({
        notes: [...world.notes].map(([id, note]) => ({ id, ...note })),
        holds: new Set([...known].filter((id) => (world.leaseEnds.get(id) ?? 0) > world.nowMs)),
        owners: new Map(world.redis.owners),
        moves: new Map(world.redis.moves),
      }),
      (found) => {
        if (!found || term.over) return
        const { p, nowMs } = world
        const standings = new Map<string, Standing>()
        for (const { id, left, leaving } of found.notes) {
          if ((found.holds.has(id) || !known.has(id)) && !left) {
            this.#expired.delete(id)
            standings.set(id, leaving ? 'leaving' : 'active')
            continue
          }
          if (!this.#expired.has(id)) this.#expired.set(id, nowMs)
          standings.set(id, left || nowMs - this.#expired.get(id)! >= GRACE_MS ? 'gone' : 'expired')
        }
        const isNew = found.notes.some(({ id }) => !known.has(id))
        this.#known = new Set(found.notes.map(({ id }) => id))
        const gone = [...standings].flatMap(([id, standing]) => (standing === 'gone' ? [id] : []))
        if (this.#isDirty || isNew || gone.length > 0) {
          this.#isDirty = false
          const owners = new Map([...found.owners].map(([at, text]) => [at, p.readOwner(text)!]))
          const changes = p.assign({ owners, moves: found.moves }, PARTITIONS, standings)
          if (changes.length > 0)
            return this.#insist(
              term,
              () => p.applyAssignments(world.script(), { term: term.number, changes }),
              (applied) => {
                if (applied < 0) return this.resign()
                this.#isDirty = true
                this.#instance.after(SWEEP_MS / 4, () => term.over || this.#sweep(term))
              },
            )
        }
        // Last, so that the next leader does it again if this one dies before.
        const free = gone.filter((id) => ![...found.owners.values()].some((text) => text.startsWith(`${id}#`)))
        if (free.length > 0)
          this.#wire.call(
            () => {
              for (const id of free) world.notes.delete(id)
              return 1
            },
            () => {},
          )
        if (gone.length > 0 || [...standings.values()].includes('expired'))
          this.#instance.after(GRACE_MS, () => term.over || this.#sweep(term))
      },
    )
  }
}
