// A second engine behind the port: several instances of one process, in memory. It tests the port, and runs the suite without Redis.

import { type Clock, systemClock, type Timer } from '@botwright/clock'
import {
  type BotEvent,
  type EventKey,
  eventKey,
  type Journal,
  laneKey,
  openJournal,
  type SetAside,
} from '@botwright/events'
import { type LimitStore, MessageBudget } from '@botwright/rest'
import { answerKey } from '../../link/answer-key.ts'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { type Job, MemoryMember, type MemoryPlace } from './memory-member.test.fixture.ts'
import type {
  Click,
  Cluster,
  ClusteredBot,
  ClusterHost,
  ClusterStatus,
  ClusterMember,
} from '../../runtime/ports/cluster.ts'

/** If an instance has not acknowledged a click after this time, another one does. */
const TURN_MS = 500

export class MemoryCluster implements Cluster, MemoryPlace {
  readonly members: MemoryMember[] = []
  readonly store: MemoryStore
  readonly journal: Journal
  readonly lanes = new Map<string, Job[]>()
  readonly offers = new Set<(event: BotEvent) => Promise<void>>()
  readonly kept: BotEvent[] = []
  readonly aside = new Map<EventKey, SetAside>()
  readonly answers = new Map<string, boolean>()
  /** Unanswered clicks. */
  readonly clicks = new Map<string, Click>()
  readonly clock: Clock
  limits: LimitStore | undefined
  term = 0
  /** Clicks whose time came while there was no instance. */
  readonly failed = new Set<string>()
  /** Acknowledgements that are under way. */
  acking = 0
  readonly #published = new Set<EventKey>()
  readonly #timers = new Set<Timer>()
  #turn = Promise.resolve()
  #next = 0

  constructor(clock: Clock = systemClock) {
    this.clock = clock
    this.store = new MemoryStore(clock)
    this.journal = openJournal({ file: ':memory:', baseUrl: 'memory', botId: 'memory', clock })
  }

  async check(): Promise<void> {}

  async join(host: ClusterHost): Promise<MemoryMember> {
    this.limits ??= new MessageBudget({
      clock: this.clock,
      timeoutMs: host.timeoutMs,
      requests: 30,
      seconds: 60,
      ...host.messageBudget,
    })
    const member = new MemoryMember(this, host)
    this.members.push(member)
    return member
  }

  get leader(): MemoryMember | undefined {
    return this.members.find(({ leads }) => leads)
  }

  elect(): void {
    if (!this.leader) this.members.find(({ takes }) => takes)?.lead(++this.term)
  }

  publish(event: BotEvent, asked = false): void {
    if (this.#published.has(eventKey(event)) && !asked) return
    this.#published.add(eventKey(event))
    const key = laneKey(event)
    const lane = this.lanes.get(key) ?? []
    this.lanes.set(key, lane)
    lane.push({ event, attempt: 0, asked, runner: undefined, life: 0 })
    this.pump()
  }

  /** Starts the first event of each idle queue, on one instance after the other. */
  pump(): void {
    for (const [key, lane] of this.lanes) {
      const [job] = lane
      if (!job || job.runner) continue
      const takes = this.members.filter((one) => one.takes)
      const waits = takes.find((one) => one.keys.has(answerKey(job.event) ?? ''))
      const member = waits ?? takes[this.#next++ % takes.length]
      if (!member) return
      job.attempt++
      if (job.attempt > member.host.handlerAttempts) {
        lane.shift()
        const reason = `the instance crashed ${job.attempt === 2 ? 'once' : `${job.attempt - 1} times`} while running it`
        this.aside.set(eventKey(job.event), { event: job.event, reason, atMs: this.clock.now() })
        return this.pump()
      }
      member.take(job, () => {
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

  /** One instance's turn and, if it does not acknowledge the click, another one's. */
  ack(click: Click, last = false): void {
    const { interactionId } = click
    const note = this.answers.get(interactionId)
    if (note) return
    const takes = this.members.filter((one) => one.takes)
    const member = takes[last ? takes.length - 1 : 0]
    const again = () => void (last || this.at(this.clock.now() + TURN_MS, () => this.ack(click, true)))
    if (!member || (note === false && !last)) return void (last ? this.failed.add(interactionId) : again())
    this.acking++
    const sinceMs = this.clock.monotonic()
    void member
      .duties!.ack(click, () => this.clock.monotonic() - sinceMs < TURN_MS)
      .then(() => this.answered(interactionId), again)
      .finally(() => this.acking--)
  }

  answered(interactionId: string): void {
    this.answers.set(interactionId, true)
    this.clicks.delete(interactionId)
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
      instances: this.members
        .filter(({ member }) => member)
        .map(({ id, leads, host, running, code }) => {
          const seenAtMs = this.clock.now()
          return {
            id,
            leads,
            running,
            waiting: 0,
            partitions: 0,
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
    const chosen = [...this.aside].filter(([, { event }]) => ids === 'all' || ids.includes(event.id))
    for (const [key, { event }] of chosen) {
      this.publish(event, true)
      this.aside.delete(key)
    }
    return chosen.map(([, { event }]) => event.id)
  }

  withStore<T>(_bot: ClusteredBot, work: (store: StateStore) => Promise<T>): Promise<T> {
    return work(this.store)
  }

  async repartition(): Promise<void> {}

  /** An instance is cut off until all others have taken over, and then joins again. */
  async cutOff(member: ClusterMember, meanwhile?: () => Promise<void>): Promise<void> {
    const one = member as MemoryMember
    const former = one.id
    one.loseLease()
    this.elect()
    this.pump()
    await meanwhile?.()
    await one.duties!.lost('this instance was disconnected for too long')
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
