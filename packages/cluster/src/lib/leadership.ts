import type { BotEvent, Clock, Duties, Log, Term } from '@botwright/framework/cluster'
import type { Broker } from './broker.ts'
import type { RedisLink } from './connect.ts'
import { Election, LEADER_LEASE_MS, LEADER_MARGIN_MS } from './election.ts'
import type { Forwards } from './forwards.ts'
import type { Keys } from './keys.ts'
import { redisLease } from './lease.ts'
import { roll } from './membership.ts'
import type { Pen } from './pen.ts'
import { readPosition } from './status.ts'
import { RedisTerm } from './term.ts'

export interface LeadershipOptions {
  link: RedisLink
  keys: Keys
  clock: Clock
  log: Log
  broker: Broker
  pen: Pen
  forwards: Forwards
  me: () => string
  eligible: () => boolean
  setAside: (event: BotEvent, reason: string) => void
  /** Redis refuses something. */
  failed: (error: unknown) => void
}

/** The leader looks for machines that are gone, and for what nobody was told of. */
const SWEEP_MS = 1000
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
      random: Math.random,
      eligible,
      elected: (number) => void this.#begin(number),
      deposed: () => this.#end(),
    })
  }

  get leads(): boolean {
    return this.#election.leads
  }

  async open(duties: Duties): Promise<void> {
    const { link, keys } = this.#o
    this.#duties = duties
    this.#election.stand()
    this.#unhear.push(
      await link.hear(keys.channel('resigned'), () => this.#election.nudge()),
      await link.hear(keys.channel('wake'), (topic) => this.#term && duties.woken(topic)),
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
    const { link, keys, clock, log, broker, pen, setAside, failed } = this.#o
    try {
      this.#latest = number
      await pen.ready()
      const server = await pen.server()
      const position = await readPosition({ redis: pen.redis, keys })
      if (!this.#election.leads || this.#latest !== number) return
      const term = new RedisTerm({
        number,
        link,
        keys,
        clock,
        log,
        broker,
        pen,
        server,
        position,
        setAside,
        failed,
        countSetAside: () => this.#asideCount,
        check: () => this.#election.check(),
        resign: () => this.#resign(),
      })
      this.#term = term
      this.#sweep(term)
      await this.#duties!.lead(term)
    } catch (error) {
      if (this.#election.leads)
        log.error({ error, term: number }, `this machine could not begin to lead: ${(error as Error).message}`)
      await new Promise<void>((resolve) => void clock.after(AFTER_FAILURE_MS, resolve))
      if (this.#term?.number === number || this.#term === undefined) await this.#resign()
    }
  }

  async #resign(): Promise<void> {
    await this.#election.resign({ withdraw: false })
    const { link, keys } = this.#o
    await link.redis.publish(keys.channel('resigned'), '').catch(() => {})
  }

  #end(): void {
    this.#term?.end()
    this.#term = undefined
  }

  #sweep(term: Term): void {
    if (term.signal.aborted) return
    void this.#look(term).finally(() => void this.#o.clock.after(SWEEP_MS, () => this.#sweep(term)))
  }

  async #look(term: Term): Promise<void> {
    const { link, keys, forwards, log } = this.#o
    try {
      this.#asideCount = await link.redis.hlen(keys.setAside)
      this.#term?.lookForOffers()
      const dead = (await roll({ redis: link.redis, keys })).filter(({ lives }) => !lives).map(({ id }) => id)
      if (dead.length === 0 || term.signal.aborted) return
      await forwards.drop(new Set(dead))
      await this.#duties!.gone(dead)
      // Only when that was done: a leader that dies over it leaves them to the next one.
      if (!term.signal.aborted) await link.redis.hdel(keys.machines, ...dead)
    } catch (error) {
      if (link.awaySinceMs === undefined && !term.signal.aborted)
        log.warn({ error }, `machines that are gone could not be cleared away: ${(error as Error).message}`)
    }
  }
}
