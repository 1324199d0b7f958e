import type { Duties, Term } from '@botwright/framework/cluster'
import { bestEffort } from './best-effort.ts'
import { Election, LEADER_LEASE_MS, LEADER_MARGIN_MS } from './election.ts'
import type { Forwards } from './forwards.ts'
import { redisLease } from './lease.ts'
import { notices } from './from-redis.ts'
import { roll } from './membership.ts'
import { isFull } from './reasons.ts'
import type { Position } from './journal.ts'
import { run } from './scripts.ts'
import { readPosition } from './status.ts'
import { type LeaderParts, RedisTerm, savePosition } from './term.ts'
import { wait } from './wait.ts'

export interface LeadershipOptions extends LeaderParts {
  forwards: Forwards
  me: () => string
  eligible: () => boolean
  /** Asks Redis whether it still knows this machine. */
  known: () => Promise<boolean>
}

/** The leader looks for machines that are gone, and for what nobody was told of. */
const SWEEP_MS = 500
/** A machine that could not begin to lead lets others try. */
const AFTER_FAILURE_MS = 1000

/** What this machine does when it is elected. */
export class Leadership {
  readonly #o: LeadershipOptions
  readonly #election: Election
  readonly #unhear: (() => void)[] = []
  #duties: Duties | undefined
  #term: RedisTerm | undefined
  #asideCount = 0
  #latest = 0
  #position: Position | undefined
  /** Whose lease was over at the last look. */
  #dead: ReadonlySet<string> = new Set()
  readonly #told = new Set<string>()

  constructor(options: LeadershipOptions) {
    this.#o = options
    const { link, keys, clock, me, eligible } = options
    this.#election = new Election({
      lease: redisLease({
        redis: link.redis,
        key: keys.leader,
        counter: keys.terms,
        holder: me,
        clock,
        leaseMs: LEADER_LEASE_MS,
        marginMs: LEADER_MARGIN_MS,
      }),
      clock,
      refused: (error) => this.#o.failed(error),
      random: Math.random,
      eligible,
      elected: (number) => void this.#begin(number),
      deposed: () => this.#end(),
    })
  }

  get leads(): boolean {
    return this.#election.leads
  }

  /** Where the feed stood when this machine last heard of it. */
  get position(): Position | undefined {
    return this.#position
  }

  know(position: Position): void {
    const term = this.#term
    // Only the leader saves the position, and a newer leader's would have ended this term.
    if (term && !term.signal.aborted && term.isPast(position)) {
      this.#o.link.malformed(
        'position of the feed',
        `${position.after} is ahead of the leader's position; the leader saves its own again`,
      )
      return term.saveAgain()
    }
    const { era = -1, after = -1 } = this.#position ?? {}
    if (position.era > era || (position.era === era && position.after > after)) this.#position = position
  }

  async open(duties: Duties): Promise<void> {
    const { link, keys } = this.#o
    this.#duties = duties
    this.#election.stand()
    this.#unhear.push(
      await link.hear(keys.channel('resigned'), notices.plain, () => this.#election.nudge()),
      await link.hear(keys.channel('wake'), notices.topic, (topic) => this.#term && duties.woken(topic)),
      // It may have lost what was written last: whoever leads now reads again where the feed stands.
      link.watch({ back: ({ sameServer }) => void (sameServer || this.#resign()) }),
    )
  }

  /** This machine's own lease was over. */
  drop(): void {
    this.#election.drop()
  }

  /** Leads no more, and stands no more. */
  async withdraw(): Promise<void> {
    await this.#term?.resign()
    await this.#election.resign({ withdraw: true })
    for (const unhear of this.#unhear.splice(0)) unhear()
  }

  async #begin(number: number): Promise<void> {
    const { clock, log, pen } = this.#o
    try {
      this.#latest = number
      await pen.ready()
      const server = await pen.server()
      const position = (await readPosition(this.#o, pen.redis)) ?? (await this.#remembered(number))
      if (position) this.know(position)
      if (!this.#election.leads || this.#latest !== number) return
      const term = new RedisTerm({
        ...this.#o,
        number,
        server,
        position,
        countSetAside: () => this.#asideCount,
        check: () => this.#election.check(),
        resign: () => this.#resign(),
        saved: (saved) => (this.#position = saved),
      })
      this.#term = term
      this.#dead = new Set()
      this.#sweep(term)
      await this.#duties!.lead(term)
    } catch (error) {
      if (this.#election.leads)
        log.error({ error, term: number }, `this instance could not become the leader: ${(error as Error).message}`)
      await wait(clock, AFTER_FAILURE_MS)
      if (this.#latest === number) await this.#resign()
    }
  }

  /** Of a position that Redis has lost this machine knows the last. */
  async #remembered(number: number): Promise<Position | undefined> {
    const { keys, pen, known } = this.#o
    const position = this.#position
    if (!position) return undefined
    // All is lost, rather: it joins anew, and makes the queues anew before anything is published.
    if (!(await known())) throw new Error('Redis has lost its data')
    const { after, savedAtMs, era } = position
    await run(pen.redis, savePosition, [keys.terms, keys.position, keys.seen], [number, after, savedAtMs, era, 0])
    return position
  }

  async #resign(): Promise<void> {
    await this.#election.resign({ withdraw: false })
    const { link, keys } = this.#o
    await bestEffort(link.redis.publish(keys.channel('resigned'), ''))
  }

  #end(): void {
    this.#term?.end()
    this.#term = undefined
  }

  #tellGone(machine: string, events: number): void {
    if (this.#told.has(machine)) return
    this.#told.add(machine)
    const again =
      events === 0
        ? 'it was running no event'
        : `${events} ${events === 1 ? 'event that it was running runs' : 'events that it was running run'} again on other instances`
    this.#o.log.warn({ machine, events }, `${machine} is gone: it crashed, or lost its connection; ${again}`)
  }

  #sweep(term: Term): void {
    if (term.signal.aborted) return
    void this.#look(term).finally(() => void this.#o.clock.after(SWEEP_MS, () => this.#sweep(term)))
  }

  async #look(term: Term): Promise<void> {
    const { link, keys, broker, forwards, log } = this.#o
    try {
      this.#asideCount = await link.redis.hlen(keys.setAside)
      this.#term?.lookForOffers()
      const former = this.#dead
      const all = await roll(this.#o)
      this.#dead = new Set(all.flatMap(({ id, lives }) => (lives ? [] : [id])))
      // Seen twice: a machine that was cut off has ended what it ran by then, so that nothing runs here while it runs there.
      const gone = [...this.#dead].filter((id) => former.has(id))
      if (gone.length === 0 || term.signal.aborted) return
      // One by one: how many events each of them ran is told.
      for (const id of gone) {
        const events = await broker.takeBack(new Set([id]))
        if (!all.some((note) => note.id === id && note.left)) this.#tellGone(id, events)
      }
      await forwards.drop(new Set(gone))
      await this.#duties!.gone(gone)
      // Only when that was done: a leader that dies over it leaves them to the next one.
      if (term.signal.aborted) return
      await link.redis.hdel(keys.machines, ...gone)
      for (const id of gone) this.#told.delete(id)
    } catch (error) {
      if (isFull(error)) this.#o.failed(error)
      else if (link.awaySinceMs === undefined && !term.signal.aborted)
        log.warn({ error }, `lost instances could not be removed: ${(error as Error).message}`)
    }
  }
}
