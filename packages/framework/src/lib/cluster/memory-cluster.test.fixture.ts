// A second engine behind the port: several machines of one process, in memory. It proves the seam, and runs the suite without Redis.

import { type Clock, systemClock, type Timer } from '@botwright/clock'
import { type BotEvent, Delivery, type Journal, laneKey, openJournal, type SetAside } from '@botwright/events'
import { BotwrightError } from '@botwright/protocol/facts'
import { type LimitStore, MessageBudget } from '@botwright/rest'
import { answerKey } from '../conversation/waiting.ts'
import type { StateStore } from '../ports.ts'
import { MemoryStore } from '../state/memory-store.ts'
import { LateLimits } from './late-limits.ts'
import type {
  Click,
  Cluster,
  ClusteredBot,
  ClusterHost,
  ClusterStatus,
  Duties,
  Machine,
  MachineStatus,
  Term,
} from './port.ts'

interface Job {
  event: BotEvent
  attempt: number
  asked: boolean
  /** The life of the machine that runs it. */
  runner: MemoryMachine | undefined
  life: number
}

const fenced = () => new BotwrightError('ERR_FENCED', 'the lease of this machine is over')

export class MemoryCluster implements Cluster {
  readonly machines: MemoryMachine[] = []
  readonly store: MemoryStore
  readonly journal: Journal
  readonly lanes = new Map<string, Job[]>()
  readonly offers = new Set<(event: BotEvent) => Promise<void>>()
  readonly kept: BotEvent[] = []
  readonly aside = new Map<number, SetAside>()
  readonly answers = new Map<string, boolean>()
  readonly clock: Clock
  limits: LimitStore | undefined
  term = 0
  /** Clicks whose time came while there was no machine. */
  readonly failed = new Set<string>()
  /** Acknowledgements that are under way. */
  acking = 0
  readonly #published = new Set<number>()
  readonly #timers = new Set<Timer>()
  #turn = Promise.resolve()
  #next = 0

  constructor(clock: Clock = systemClock) {
    this.clock = clock
    this.store = new MemoryStore(clock)
    this.journal = openJournal({ file: ':memory:', baseUrl: 'memory', botId: 'memory', clock })
  }

  async check(): Promise<void> {}

  async join(host: ClusterHost): Promise<MemoryMachine> {
    this.limits ??= new MessageBudget({
      clock: this.clock,
      timeoutMs: host.timeoutMs,
      requests: 30,
      seconds: 60,
      ...host.messageBudget,
    })
    const machine = new MemoryMachine(this, host)
    this.machines.push(machine)
    return machine
  }

  get leader(): MemoryMachine | undefined {
    return this.machines.find(({ leads }) => leads)
  }

  elect(): void {
    if (!this.leader) this.machines.find(({ takes }) => takes)?.lead(++this.term)
  }

  publish(event: BotEvent, asked = false): void {
    if (this.#published.has(event.id) && !asked) return
    this.#published.add(event.id)
    const key = laneKey(event)
    const lane = this.lanes.get(key) ?? []
    this.lanes.set(key, lane)
    lane.push({ event, attempt: 0, asked, runner: undefined, life: 0 })
    this.pump()
  }

  /** Starts the first event of each lane that rests, on one machine after the other. */
  pump(): void {
    for (const [key, lane] of this.lanes) {
      const [job] = lane
      if (!job || job.runner) continue
      const takes = this.machines.filter((one) => one.takes)
      const waits = takes.find((one) => one.keys.has(answerKey(job.event) ?? ''))
      const machine = waits ?? takes[this.#next++ % takes.length]
      if (!machine) return
      job.attempt++
      if (job.attempt > machine.host.handlerAttempts) {
        lane.shift()
        const reason = `the machine died while it ran, ${job.attempt - 1} times`
        this.aside.set(job.event.id, { event: job.event, reason, atMs: this.clock.now() })
        return this.pump()
      }
      machine.take(job, () => {
        lane.shift()
        if (lane.length === 0) this.lanes.delete(key)
        this.pump()
      })
    }
  }

  at(atMs: number, work: () => void): void {
    const timer = this.clock.after(Math.max(0, atMs - this.clock.now()), () => {
      this.#timers.delete(timer)
      work()
    })
    this.#timers.add(timer)
  }

  /** One machine's turn, and then another one's. */
  ack(click: Click, last: boolean): void {
    const note = this.answers.get(click.interactionId)
    if (note || (note === false && !last)) return
    const takes = this.machines.filter((one) => one.takes)
    const machine = takes[last ? takes.length - 1 : 0]
    if (!machine) return void (last && this.failed.add(click.interactionId))
    this.acking++
    void machine
      .duties!.ack(click, last)
      .then(
        () => this.answers.set(click.interactionId, true),
        () => {},
      )
      .finally(() => this.acking--)
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.then(
      () => {},
      () => {},
    )
    return done
  }

  async status(_bot: ClusteredBot): Promise<ClusterStatus> {
    const { leader } = this
    const cursor = this.journal.cursor()
    return {
      machines: this.machines
        .filter(({ member }) => member)
        .map(({ id, leads, host, running, code }) => {
          const seenAtMs = this.clock.now()
          return {
            id,
            leads,
            running,
            joinedAtMs: 0,
            seenAtMs,
            version: host.version,
            ...(code !== undefined && { code }),
          }
        }),
      ...(leader && { leader: leader.id }),
      term: this.term,
      ...(cursor && { cursor }),
      partitions: [...this.lanes].map(([name, lane]) => {
        const running = lane.filter(({ runner }) => runner).length
        return { name, waiting: lane.length - running, running }
      }),
      setAside: [...this.aside.values()],
    }
  }

  async replay(_bot: ClusteredBot, ids: readonly number[] | 'all'): Promise<number[]> {
    const chosen = [...this.aside.keys()].filter((id) => ids === 'all' || ids.includes(id))
    for (const id of chosen) {
      this.publish(this.aside.get(id)!.event, true)
      this.aside.delete(id)
    }
    return chosen
  }

  /** A machine is cut off until all others have taken over, and then joins again. */
  async cutOff(machine: Machine, meanwhile?: () => Promise<void>): Promise<void> {
    const one = machine as MemoryMachine
    const former = one.id
    one.loseLease()
    this.elect()
    this.pump()
    await meanwhile?.()
    await one.duties!.lost('this machine was cut off for too long')
    one.rejoin()
    one.duties!.joined()
    this.elect()
    this.pump()
    await this.leader?.duties!.gone([former])
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel()
    this.limits?.close()
    this.journal.close()
  }
}

/** A machine that leaves closes nobody else's budget. */
class SharedLimits extends LateLimits {
  override close(): void {}
}

let last = 0

export class MemoryMachine implements Machine {
  readonly host: ClusterHost
  readonly keys = new Set<string>()
  readonly store: StateStore
  readonly limits: LimitStore
  duties: Duties | undefined
  code: string | undefined
  member = true
  leads = false
  running = 0
  readonly #cluster: MemoryCluster
  #life = 0
  #number = ++last
  #stopped = false
  #term: AbortController | undefined
  #idle: (() => void)[] = []

  constructor(cluster: MemoryCluster, host: ClusterHost) {
    this.#cluster = cluster
    this.host = host
    const { store } = cluster
    this.limits = new SharedLimits(() => cluster.limits!)
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
    void Promise.resolve(this.duties!.run(new Delivery(event, attempt), asked)).then(ended)
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
      async publish({ event }) {
        over.signal.throwIfAborted()
        cluster.publish(event)
      },
      async acknowledge(click, atMs) {
        for (const laterMs of [0, 500]) cluster.at(atMs + laterMs, () => cluster.ack(click, laterMs > 0))
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

  waits(key: string, on: boolean): void {
    if (on) this.keys.add(key)
    else this.keys.delete(key)
  }

  async answering(interactionId: string, answered: boolean): Promise<void> {
    this.#cluster.answers.set(interactionId, answered || (this.#cluster.answers.get(interactionId) ?? false))
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
    return new Set(this.#cluster.machines.filter(({ member }) => member).map(({ id }) => id))
  }

  wake(topic: string): void {
    this.#cluster.leader?.duties!.woken(topic)
  }

  async setAside(event: BotEvent, reason: string): Promise<void> {
    this.#cluster.aside.set(event.id, { event, reason, atMs: this.#cluster.clock.now() })
  }

  status(): MachineStatus {
    const { id, leads, member, running } = this
    return { id, leads, member, engine: 'memory', running }
  }

  cluster(): Promise<ClusterStatus> {
    return this.#cluster.status(this.host)
  }

  async stop({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#stopped = true
    this.#cluster.elect()
    if (this.running > 0)
      await new Promise<void>((resolve) => {
        const timer = this.#cluster.clock.after(graceMs, resolve)
        this.#idle.push(() => (timer.cancel(), resolve()))
      })
    return { unfinished: this.running }
  }

  async close(): Promise<void> {
    const { machines } = this.#cluster
    this.loseLease()
    machines.splice(machines.indexOf(this), 1)
    this.#cluster.elect()
    this.#cluster.pump()
    await this.#cluster.leader?.duties!.gone([this.id])
  }

  loseLease(): void {
    this.member = false
    this.#life++
    this.running = 0
    this.keys.clear()
    this.#term?.abort(fenced())
    this.#term = undefined
    if (this.leads) this.#cluster.offers.clear()
    this.leads = false
    for (const [job] of this.#cluster.lanes.values()) if (job?.runner === this) job.runner = undefined
  }

  rejoin(): void {
    this.#number = ++last
    this.member = true
  }
}
