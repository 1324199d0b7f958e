import type { Clock } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey, type Journal, type SetAside } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import type { LimitStore } from '@botwright/rest'
import type { StateStore } from '../../author/ports.ts'
import {
  type Click,
  type ClusteredBot,
  type ClusterHost,
  type ClusterStatus,
  type Duties,
  type ClusterMember,
  type MemberStatus,
  type Term,
} from '../../runtime/ports/cluster.ts'

export interface Job {
  event: BotEvent
  attempt: number
  asked: boolean
  /** The life of the instance that runs it. */
  runner: MemoryMember | undefined
  life: number
}

/** The state that the instances of a cluster share. */
export interface MemoryPlace {
  readonly members: MemoryMember[]
  readonly leader: MemoryMember | undefined
  readonly clock: Clock
  readonly store: StateStore
  readonly journal: Journal
  readonly lanes: ReadonlyMap<string, Job[]>
  readonly offers: Set<(event: BotEvent) => Promise<void>>
  readonly kept: BotEvent[]
  readonly aside: Map<EventKey, SetAside>
  readonly answers: Map<string, boolean>
  readonly failed: ReadonlySet<string>
  readonly limits: LimitStore | undefined
  elect(): void
  pump(): void
  publish(event: BotEvent): void
  at(atMs: number, work: () => void): void
  ack(click: Click): void
  answered(interactionId: string): void
  readonly clicks: Map<string, Click>
  alone<T>(work: () => Promise<T>): Promise<T>
  status(bot: ClusteredBot): Promise<ClusterStatus>
}

const fenced = () => new BotwrightError('ERR_FENCED', 'the lease of this instance has expired')

/** The shared message budget without `close`: an instance that leaves must not close it for the others. */
const shared = (limits: LimitStore): LimitStore => ({
  get waiting() {
    return limits.waiting
  },
  get used() {
    return limits.used
  },
  get limit() {
    return limits.limit
  },
  get waitMs() {
    return limits.waitMs
  },
  take: (priority, signal) => limits.take(priority, signal),
  release: (left) => limits.release(left),
  again: () => limits.again(),
  close: () => {},
})

let last = 0

export class MemoryMember implements ClusterMember {
  readonly host: ClusterHost
  readonly keys = new Set<string>()
  readonly store: StateStore
  readonly limits: LimitStore
  duties: Duties | undefined
  code: string | undefined
  member = true
  leads = false
  running = 0
  readonly #cluster: MemoryPlace
  /** Resolves when this lease is over. */
  over!: Promise<void>
  #end!: () => void
  #life = 0
  #number = ++last
  #stopped = false
  #term: AbortController | undefined
  #idle: (() => void)[] = []

  constructor(cluster: MemoryPlace, host: ClusterHost) {
    this.#cluster = cluster
    this.host = host
    this.#begin()
    const { store } = cluster
    this.limits = shared(cluster.limits!)
    const open = async <T>(work: () => Promise<T>): Promise<T> => {
      this.fence()
      return work()
    }
    this.store = {
      get: (key) => open(() => store.get(key)),
      set: (key, value, options) => open(() => store.set(key, value, options)),
      delete: (key, options) => open(() => store.delete(key, options)),
      list: (prefix, options) => open(() => store.list(prefix, options)),
    }
  }

  get id(): string {
    return `memory-${this.#number}`
  }

  get clockAheadMs(): number {
    return this.#cluster.clock.now() - this.host.clock.now()
  }

  get takes(): boolean {
    return this.member && !this.#stopped && this.duties !== undefined
  }

  fence(): void {
    if (!this.member) throw fenced()
  }

  start(duties: Duties): void {
    this.duties = duties
    this.#cluster.elect()
    this.#cluster.pump()
  }

  take(job: Job, settle: () => void): void {
    const life = this.#life
    job.runner = this
    this.running++
    const { event, attempt, asked } = job
    const ended = () => {
      if (life !== this.#life) return
      this.running--
      if (this.running === 0) for (const idle of this.#idle.splice(0)) idle()
      settle()
    }
    // One that gives up at a stop runs again elsewhere.
    void Promise.resolve(this.duties!.run({ event, attempt, asked })).then(ended, () => {})
  }

  lead(number: number): void {
    const over = new AbortController()
    const { offers, kept, journal, clock } = this.#cluster
    this.leads = true
    this.#term = over
    const cluster = this.#cluster
    const end = () => {
      if (over.signal.aborted) return
      over.abort(fenced())
      offers.clear()
      this.leads = false
      this.#term = undefined
    }
    const term: Term = {
      number,
      signal: over.signal,
      journal: { ...journal, commit: (group) => !over.signal.aborted && journal.commit(group), bodies: () => [] },
      check: () => over.signal.throwIfAborted(),
      async publish({ event }, click) {
        over.signal.throwIfAborted()
        if (click) {
          cluster.clicks.set(click.click.interactionId, click.click)
          cluster.at(click.atMs, () => cluster.ack(click.click))
        }
        cluster.publish(event)
      },
      offers(hear) {
        offers.add(hear)
        for (const event of kept) void hear(event)
      },
      async resign() {
        end()
        clock.after(1, () => cluster.elect())
      },
    }
    void this.duties!.lead(term)
  }

  async offer(event: BotEvent): Promise<void> {
    this.fence()
    this.#cluster.kept.push(event)
    for (const hear of this.#cluster.offers) await hear(event)
  }

  async ask(instance: string, { event, attempt }: Delivery): Promise<boolean | 'lost'> {
    const other = this.#cluster.members.find(({ id, takes }) => takes && id === instance)
    if (!other) return false
    const lost = other.over.then(() => 'lost' as const)
    const ran = Promise.resolve(other.duties!.run({ event, attempt, asked: true })).then(() => true)
    return Promise.race([ran, lost])
  }

  waits(key: string, on: boolean): void {
    if (on) this.keys.add(key)
    else this.keys.delete(key)
  }

  async answering(interactionId: string, state: 'begun' | 'answered' | 'failed'): Promise<void> {
    const { answers } = this.#cluster
    if (state === 'answered') this.#cluster.answered(interactionId)
    else if (state === 'begun') answers.set(interactionId, answers.get(interactionId) ?? false)
    else if (answers.get(interactionId) === false) answers.delete(interactionId)
  }

  async unheard({ interactionId }: Click): Promise<boolean> {
    return this.#cluster.failed.has(interactionId)
  }

  alone<T>(_what: string, work: () => Promise<T>): Promise<T> {
    return this.#cluster.alone(work)
  }

  async runs(code: string): Promise<void> {
    this.code = code
  }

  async living(): Promise<ReadonlySet<string>> {
    return new Set(this.#cluster.members.filter(({ member }) => member).map(({ id }) => id))
  }

  wake(topic: string): void {
    this.#cluster.leader?.duties!.woken(topic)
  }

  async setAside(event: BotEvent, reason: string): Promise<void> {
    this.#cluster.aside.set(eventKey(event), { event, reason, atMs: this.#cluster.clock.now() })
  }

  status(): MemberStatus {
    const { id, leads, member, running } = this
    return { id, leads, member, engine: 'memory', running }
  }

  cluster(): Promise<ClusterStatus> {
    return this.#cluster.status(this.host)
  }

  async stop({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#stopped = true
    this.#cluster.elect()
    if (this.running > 0 && graceMs > 0)
      await new Promise<void>((resolve) => {
        const timer = this.#cluster.clock.after(graceMs, resolve)
        this.#idle.push(() => (timer.cancel(), resolve()))
      })
    // It may be the last one.
    await Promise.all(
      [...this.#cluster.clicks.values()].map((click) =>
        this.duties!.ack(click, () => true).then(
          () => this.#cluster.answered(click.interactionId),
          () => {},
        ),
      ),
    )
    return { unfinished: this.running }
  }

  async close(): Promise<void> {
    const { members } = this.#cluster
    this.loseLease()
    members.splice(members.indexOf(this), 1)
    this.#cluster.elect()
    this.#cluster.pump()
    await this.#cluster.leader?.duties!.gone([this.id])
  }

  loseLease(): void {
    this.member = false
    this.#end()
    this.#life++
    this.running = 0
    this.keys.clear()
    this.#term?.abort(fenced())
    this.#term = undefined
    if (this.leads) this.#cluster.offers.clear()
    this.leads = false
    for (const [job] of this.#cluster.lanes.values()) if (job?.runner === this) job.runner = undefined
  }

  #begin(): void {
    this.over = new Promise((resolve) => (this.#end = resolve))
  }

  rejoin(): void {
    this.#begin()
    this.#number = ++last
    this.member = true
  }
}
