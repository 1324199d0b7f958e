import type { Call } from '@botwright/rest'
import { createFeed, type Delivery, type Feed, type FeedEnd } from '@botwright/events'
import { ackWaitMs, clickOf } from '../delivery/click-ack.ts'
import { notifyLostConversations } from '../conversations/lost-conversations.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import { MissedClicks, type ServiceClock } from '../delivery/service-clock.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { LoadedBot } from '../../runtime/instance/stage-types.ts'
import { pollOf } from '../delivery/feed.ts'
import type { Tasks } from '../../runtime/ports/tasks.ts'
import type { FeedTotals, TermStats } from './feed-totals.ts'
import type { ClusterClaims } from './cluster-claims.ts'
import type { Click, ClusterMember, Term } from '../../runtime/ports/cluster.ts'

/** Publishing waits for the network, not for a processor: many events may be on their way at once. */
const MOST_PUBLISHING = 1024
/** When a term ends, pending publishes have this long to finish. */
const PUBLISH_MS = 1000

/** The services that all parts of an instance share. */
export interface InstanceServices {
  readonly member: ClusterMember
  readonly claims: ClusterClaims
  /** Calls that the fence refused. */
  readonly fenced: number
  /** The client for calls made on behalf of handlers. */
  callOf(call: Call): Call
}

/** The parts of an instance that outlive its terms as leader. */
export interface TermHost {
  readonly bot: LoadedBot
  readonly services: InstanceServices
  readonly service: ServiceClock
  readonly totals: FeedTotals
  readonly definitions: readonly Definition[]
  /** An event does not run on any instance. */
  skip(delivery: Delivery): void
}

/** One term of this instance as the leader: it reads the feed and runs the tasks for all instances. */
export class LeaderTerm {
  readonly ended: Promise<FeedEnd>
  readonly placed: Promise<void>
  /** Resolves when another instance may lead. */
  readonly resigned: Promise<void>
  readonly #host: TermHost
  readonly #term: Term
  readonly #catchUp: CatchUpRules
  readonly #feed: Feed
  readonly #tasks: Tasks
  #stopping: Promise<{ unfinished: number }> | undefined
  #hasResigned!: () => void
  #takingOver: Promise<void> | undefined
  #again = false

  constructor(host: TermHost, term: Term) {
    const { call } = host.bot
    const { clock, options, report } = host.bot.connection
    const { config } = options
    this.#host = host
    this.#term = term
    this.resigned = new Promise((resolve) => (this.#hasResigned = resolve))
    // The former leader has received the events up to the position.
    const { service } = host
    const missed = new MissedClicks(service, term.journal.cursor()?.savedAtMs ?? 0)
    const catchUp = (this.#catchUp = new CatchUpRules(config.catchUp, { clock: service, log: options.log, missed }))
    this.#feed = createFeed({
      listEvents: pollOf(call, missed),
      journal: term.journal,
      clock,
      report,
      run: (delivery) => {
        if (!catchUp.takeSkipped(delivery)) return this.#publish(delivery)
        host.bot.observer.received?.(delivery)
        return host.skip(delivery)
      },
      received: (delivery) => this.#received(delivery),
      holdPoll: () => this.#check(),
      delivery: config.delivery,
      start: config.start,
      maxWaiting: config.limits.waiting,
      maxRunning: MOST_PUBLISHING,
      // Deaths during an event are counted where it runs.
      handlerAttempts: Infinity,
    })
    this.ended = this.#feed.ended
    this.placed = this.#feed.placed
    this.#tasks = host.bot.createTasks()
  }

  async begin(): Promise<void> {
    const { log } = this.#host.bot.connection.options
    log.info({ term: this.#term.number }, 'this instance is the leader: it reads the feed and runs the tasks')
    this.#feed.start()
    this.#term.offers((event) => this.#feed.offer(event))
    void this.ended.then(({ reason }) => {
      // Another instance may be able to continue.
      if (reason === 'stopped' && !this.#stopping) void this.stop()
    })
    await this.#tasks.update(this.#host.definitions)
    if (!this.#stopping) this.#host.bot.runs.lead(true)
    void this.takeOver()
  }

  update(definitions: readonly Definition[]): Promise<void> {
    return this.#tasks.update(definitions)
  }

  /** Something was scheduled. */
  wake(): void {
    this.#tasks.wake()
  }

  stats(): TermStats {
    return { ...this.#feed.stats(), skipped: this.#catchUp.skipped }
  }

  /** Continues work that instances that are gone had begun. Never rejects. */
  async takeOver(): Promise<void> {
    if (this.#takingOver) {
      this.#again = true
      return this.#takingOver
    }
    const work = async (): Promise<void> => {
      const { backend, call, connection, outbox } = this.#host.bot
      const { clock, options } = connection
      const { store } = backend
      const { claims } = this.#host.services
      do {
        this.#again = false
        this.#tasks.wake()
        this.#host.bot.runs.look()
        await outbox.broadcasts.resume()
        const again = { clock, signal: this.#term.signal }
        const host = { store, call: this.#host.services.callOf(call), log: options.log, again }
        // Not awaited: messages may wait for long, and the leader looks for further lost instances only after this.
        void notifyLostConversations(host, { claims }, clock.now())
      } while (this.#again && !this.#stopping)
    }
    this.#takingOver = work()
      .catch((error: unknown) =>
        this.#host.bot.connection.options.log.error({ error }, 'the events of lost instances could not be taken over'),
      )
      .finally(() => (this.#takingOver = undefined))
    await this.#takingOver
  }

  /** Stops reading and starts no new tasks; running tasks have `graceMs` to finish. Without it, only the term is over: they go on. */
  stop(graceMs?: number): Promise<{ unfinished: number }> {
    return (this.#stopping ??= (async () => {
      const tasks = this.#tasks.stop(graceMs ?? 0, graceMs === undefined ? this.#host.bot.closing : undefined)
      this.#host.bot.runs.lead(false)
      const over = this.#term.signal.aborted
      await this.#feed.stop({ graceMs: over ? 0 : PUBLISH_MS })
      this.#catchUp.logSkipped()
      this.#host.totals.add(this.stats())
      try {
        if (!over) await this.#term.resign()
      } finally {
        this.#hasResigned()
      }
      return tasks
    })())
  }

  /** Runs before each poll. The end of a term is not an error. */
  async #check(): Promise<void> {
    await this.#host.bot.connection.options.holdPoll?.()
    try {
      await this.#term.check()
    } catch (error) {
      void this.stop()
      throw error
    }
  }

  async #publish(delivery: Delivery): Promise<void> {
    try {
      await this.#term.publish(delivery, this.#clickOf(delivery))
    } catch (error) {
      // It is not published: the position must not pass it. The next leader reads it again.
      if (!this.#term.signal.aborted && !this.#stopping) {
        const { log } = this.#host.bot.connection.options
        const message = `event ${delivery.event.id} could not be handed over (${(error as Error).message}): another instance may be the leader`
        log.error({ error, eventId: delivery.event.id }, message)
        void this.stop()
      }
      await new Promise<never>(() => {})
    }
  }

  #received(delivery: Delivery): void {
    hideTokenOf(delivery.event)
    this.#catchUp.arrived(delivery)
  }

  /** A click that can still be answered, with the time at which it is acknowledged. */
  #clickOf({ event }: Delivery): { click: Click; atMs: number } | undefined {
    const { service } = this.#host
    const click = clickOf(event, service)
    if (!click || service.leftMs(click.expiresAtMs) <= 0) return undefined
    return { click, atMs: this.#host.bot.connection.clock.now() + ackWaitMs(event, service) }
  }
}
