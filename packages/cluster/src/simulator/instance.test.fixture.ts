// One process of the cluster, in the simulation. Its decisions come from `protocol/`; here it only sends, waits and runs handlers.

import type { Begun } from '../protocol/entries.ts'
import type { Holdings } from '../protocol/holdings.ts'
import { SimClicks } from './clicks.test.fixture.ts'
import { Leader } from './leader.test.fixture.ts'
import { Member } from './wire.test.fixture.ts'
import { HANDLER_ATTEMPTS, LEASE_MS, MARGIN_MS, type Run, type SimEvent, type World } from './world.test.fixture.ts'

const RENEW_MS = 1000
const TICK_MS = 250
const RETRY_MS = 50
const READ_MS = 25
const MAX_RUNNING = 4

interface Entry {
  id: number
  event: SimEvent
  partition: number
  owner: string
  begun: Begun
}

interface Queue {
  entries: Entry[]
  /** The first entry is in a commit, or its handler runs. */
  isBusy: boolean
}

interface Partition {
  owner: string
  begun: Map<number, Begun>
  after: number
  known: Set<number>
}

/** The state of a process during one lease. */
interface Life {
  id: string
  holdings: Holdings
  partitions: Map<number, Partition>
  queues: Map<string, Queue>
  ended: { entry: Entry; queue: Queue }[]
  runs: Set<Entry>
  clicks: SimClicks
  committing: boolean
  commits: number
  over: boolean
}

export class SimInstance extends Member {
  readonly leader: Leader
  life: Life | undefined
  #renewedAtMs = -Infinity
  #lastChange = -1
  #lives = 0
  #onLeft: (() => void) | undefined

  constructor(world: World, name: string) {
    super(world, name)
    this.leader = new Leader(this)
    this.#join()
    this.#tick()
  }

  override get sure(): boolean {
    return this.life !== undefined && this.world.p.isSure(this.world.nowMs - this.#renewedAtMs)
  }

  /** Finishes the running handlers, releases its partitions, and ends. */
  leave(left: () => void): void {
    const { world, life } = this
    world.note(`${this.name} leaves`)
    this.leaving = true
    this.#onLeft = left
    this.leader.resign()
    if (!life) return this.#left()
    const note = world.notes.get(life.id)
    this.#insist(
      life,
      () => {
        if (note) note.leaving = true
        world.redis.changes++
        return 1
      },
      () => {
        world.p.leave(life.holdings)
        this.#release(life, world.p.takeReleasable(life.holdings))
        // It is not there to answer them later.
        life.clicks.flush()
        this.#leaveWhenIdle(life)
      },
    )
  }

  #leaveWhenIdle(life: Life): void {
    if (life.over) return
    const isIdle = [...life.holdings.held.values()].every(({ unfinished }) => unfinished === 0)
    if (!isIdle || life.clicks.size > 0 || life.holdings.held.size > 0)
      return this.after(RETRY_MS, () => this.#leaveWhenIdle(life))
    life.over = true
    life.clicks.isOver = true
    this.#giveBack(life, () => {
      const { world } = this
      this.wire.call(
        () => {
          world.leaseEnds.delete(life.id)
          const note = world.notes.get(life.id)
          if (note) note.left = true
          return ++world.redis.changes
        },
        () => this.#left(),
      )
    })
  }

  #left(): void {
    this.alive = false
    this.#onLeft?.()
  }

  // The lease.

  #join(): void {
    const { world } = this
    const id = `${this.name}.${++this.#lives}`
    const sentAtMs = world.nowMs
    this.wire.call(
      () => {
        world.leaseEnds.set(id, world.nowMs + LEASE_MS)
        world.notes.set(id, { left: false, leaving: false })
        return ++world.redis.changes
      },
      (reply) => {
        if (reply === undefined) return this.after(RETRY_MS, () => this.#join())
        const life: Life = {
          ...{ id, holdings: world.p.newHoldings(id), partitions: new Map(), queues: new Map(), ended: [] },
          ...{ runs: new Set(), clicks: new SimClicks(this, id), committing: false, commits: 0, over: false },
        }
        world.note(`${id} joins`)
        this.life = life
        this.#renewedAtMs = sentAtMs
        this.#lastChange = -1
        this.#read(life)
      },
    )
  }

  #tick(): void {
    this.after(TICK_MS, () => {
      this.#tick()
      this.leader.tick()
      const { life, world } = this
      if (!life || life.over) return
      if (world.nowMs - this.#renewedAtMs >= LEASE_MS - MARGIN_MS / 2) return this.lose('its lease has ended')
      if (world.nowMs - this.#renewedAtMs < RENEW_MS) return
      const sentAtMs = world.nowMs
      this.wire.call(
        () => {
          const isHeld = (world.leaseEnds.get(life.id) ?? 0) > world.nowMs
          if (isHeld) world.leaseEnds.set(life.id, world.nowMs + LEASE_MS)
          const turns = [...world.redis.acks.values()]
          return { isHeld, turnAtMs: turns.length > 0 ? Math.min(...turns) : -1 }
        },
        (reply) => {
          if (reply === undefined || life.over) return
          if (!reply.isHeld) return this.lose('Redis knows no lease of it')
          this.#renewedAtMs = sentAtMs
          if (reply.turnAtMs >= 0 && world.p.sweepAtMs(reply.turnAtMs) <= world.nowMs) life.clicks.sweep()
        },
      )
    })
  }

  /** Others may have taken over: stops everything, and joins again. */
  lose(why: string): void {
    const { life, world } = this
    if (!life || life.over) return
    world.note(`${life.id} stops: ${why}`)
    life.over = true
    life.clicks.isOver = true
    this.life = undefined
    this.leader.drop()
    // Handlers do not stop at once.
    this.after(world.int(100), () => {
      this.#giveBack(life, () => {})
      if (!this.leaving) this.#join()
      else this.#left()
    })
  }

  #giveBack(life: Life, done: () => void): void {
    const { world } = this
    const { p } = world
    const entries = [...life.runs].map(({ partition, id, begun }) => ({
      ...{ partition, entry: id, from: p.begunText(begun), to: p.begunText(p.pardon(begun)) },
    }))
    const released = p.takeAll(life.holdings)
    this.wire.call(
      () => p.pardonEntries(world.script(), entries),
      () => this.wire.call(() => p.release(world.script(), released), done),
    )
  }

  /** Sends a command again until its reply arrives. */
  #insist<T>(life: Life, command: () => T, done: (reply: T) => void): void {
    this.wire.call(command, (reply) => {
      if (life.over) return
      if (reply !== undefined) done(reply)
      else this.after(RETRY_MS, () => life.over || this.#insist(life, command, done))
    })
  }

  // Ownership and entries.

  #read(life: Life): void {
    if (life.over) return
    const { world } = this
    const asked = [...life.partitions].map(([number, { after }]) => ({ number, after }))
    this.wire.call(
      () => ({
        change: world.redis.changes,
        rows: asked.map(({ number, after }) => {
          const rows = (world.redis.streams.get(number) ?? []).filter(({ id }) => id > after)
          return { number, after, rows: rows.slice(0, 8) }
        }),
      }),
      (reply) => {
        if (life.over) return
        const again = () => this.after(READ_MS, () => this.#read(life))
        if (!reply) return again()
        for (const { number, after, rows } of reply.rows) {
          const partition = life.partitions.get(number)
          if (partition && partition.after === after) this.#take(life, number, partition, rows)
        }
        if (reply.change === this.#lastChange) return again()
        this.#lastChange = reply.change
        this.leader.changed()
        this.#observe(life, again)
      },
    )
  }

  #observe(life: Life, then: () => void): void {
    const { world } = this
    const { p } = world
    this.#insist(
      life,
      () => ({ owners: new Map(world.redis.owners), moves: new Map(world.redis.moves) }),
      (found) => {
        const owners = new Map([...found.owners].map(([at, text]) => [at, p.readOwner(text)!]))
        const { open, release, fenced } = p.observe(life.holdings, { owners, moves: found.moves })
        if (fenced) return this.lose('another instance owns its partition')
        this.#release(life, release)
        this.#insist(
          life,
          () => open.map((at) => new Map(world.redis.begun.get(at))),
          (begun) => {
            for (const [i, number] of open.entries()) {
              const counts = new Map([...begun[i]!].map(([entry, text]) => [entry, p.readBegun(text)!]))
              const holding = life.holdings.held.get(number)
              // The instance leaves, and has released it meanwhile.
              if (!holding) continue
              const owner = p.ownerText({ instance: life.id, epoch: holding.epoch })
              life.partitions.set(number, { owner, begun: counts, after: 0, known: new Set() })
              p.opened(life.holdings, number)
            }
            this.#commit(life)
            then()
          },
        )
      },
    )
  }

  #release(life: Life, due: { partition: number; owner: string }[]): void {
    if (due.length === 0) return
    const { world } = this
    for (const { partition } of due) life.partitions.delete(partition)
    this.#insist(
      life,
      () => world.p.release(world.script(), due),
      () => {},
    )
  }

  #take(
    life: Life,
    number: number,
    partition: Partition,
    rows: { id: number; event: string; turnAtMs?: number }[],
  ): void {
    const { world } = this
    for (const { id, event: text, turnAtMs } of rows) {
      partition.after = id
      if (partition.known.has(id)) continue
      partition.known.add(id)
      const event = world.events[Number(text) - 1]!
      const begun = world.p.begin(partition.begun.get(id) ?? world.p.NOT_BEGUN)
      const key = `${partition.owner} ${number} ${event.queue}`
      const queue = life.queues.get(key) ?? { entries: [], isBusy: false }
      life.queues.set(key, queue)
      queue.entries.push({ id, event, partition: number, owner: partition.owner, begun })
      if (turnAtMs !== undefined) life.clicks.track(event.id, turnAtMs)
    }
    this.#commit(life)
  }

  #commit(life: Life): void {
    if (life.committing || life.over) return
    const { world } = this
    const { p } = world
    const ended = life.ended.splice(0)
    const starting: { entry: Entry; queue: Queue }[] = []
    let running = [...life.queues.values()].filter(({ isBusy }) => isBusy).length
    for (const queue of life.queues.values()) {
      const [entry] = queue.entries
      if (!entry || queue.isBusy || running >= MAX_RUNNING) continue
      const isCurrent = life.partitions.get(entry.partition)?.owner === entry.owner
      if (!isCurrent || !p.mayBegin(life.holdings, entry.partition)) continue
      queue.isBusy = true
      running++
      p.began(life.holdings, entry.partition)
      starting.push({ entry, queue })
    }
    if (ended.length === 0 && starting.length === 0) return
    life.committing = true
    const numbers = new Set([...ended, ...starting].map(({ entry }) => entry.partition))
    const partitions = [...numbers].map((partition) => ({
      partition,
      owner: life.partitions.get(partition)?.owner ?? '',
      begin: starting.flatMap(({ entry }) =>
        entry.partition === partition ? [{ entry: entry.id, begun: p.begunText(entry.begun) }] : [],
      ),
      finish: ended.flatMap(({ entry }) => (entry.partition === partition ? [entry.id] : [])),
    }))
    const number = ++life.commits
    const command = () => {
      const done = p.commit(world.script(), { instance: life.id, number, partitions })
      if (done === 1) for (const { entry } of starting) world.seen.get(entry.event.id)!.begunBy.add(life.id)
      return done
    }
    this.#insist(life, command, (done) => {
      if (done !== 1) return this.lose('a commit was refused')
      life.committing = false
      let isReleasable = false
      for (const { entry } of ended) if (p.finished(life.holdings, entry.partition)) isReleasable = true
      if (isReleasable) this.#release(life, p.takeReleasable(life.holdings))
      for (const one of starting) this.#run(life, one)
      this.#commit(life)
    })
  }

  // Handlers.

  /** Runs work once the lease is known to hold; never if it has ended. */
  #fenced(life: Life, work: () => void): void {
    if (life.over) return
    if (this.sure) work()
    else this.after(RETRY_MS, () => this.#fenced(life, work))
  }

  #run(life: Life, one: { entry: Entry; queue: Queue }): void {
    const { world } = this
    const { entry, queue } = one
    const { event, begun } = entry
    life.runs.add(entry)
    const end = () => {
      life.runs.delete(entry)
      queue.entries.shift()
      queue.isBusy = false
      life.ended.push(one)
      this.#commit(life)
    }
    this.#fenced(life, () => {
      const decision = world.p.decide(begun, HANDLER_ATTEMPTS)
      if (!decision.run) {
        world.setAside(event, decision.crashes)
        return end()
      }
      const run: Run = world.starts(event, life.id, begun.attempts)
      if (event.poison) return this.crash()
      if (event.click?.answerAfterMs !== undefined)
        life.clicks.answer(run, event.click.answerAfterMs, (work) => this.#fenced(life, work))
      this.after(event.handlerMs, () =>
        this.#fenced(life, () => {
          world.ends(run)
          end()
        }),
      )
    })
  }
}
