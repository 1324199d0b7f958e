import { drain, elapsedOf, sleep } from '@botwright/clock'
import type { Delivery, EventReceiver, Gathered, SetAside } from '@botwright/events'
import type { Command } from '@botwright/protocol/shapes'
import { clickOf } from '../delivery/click-ack.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import { ServiceClock } from '../delivery/service-clock.ts'
import { isWake } from '../../link/run-event.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import type { Definition } from '../../author/files/entries.ts'
import { observeAside, observeUnrun, openBotReceiver } from '../delivery/feed.ts'
import type { Instance, InstanceFacts, LoadedBot, RegisterCommands } from '../../runtime/instance/stage-types.ts'
import type { BotEnd, BotStats } from '../../runtime/ports/bot-facts.ts'
import { timerPrefix } from '../tasks/stored-timers.ts'
import { type InstanceServices, LeaderTerm, type TermHost } from './leader-term.ts'
import { ClusterAcks } from './cluster-acks.ts'
import type { Click, ClusterStatus, Duties, ClusterMember, Term } from '../../runtime/ports/cluster.ts'
import { FeedTotals } from './feed-totals.ts'
import { SharedCommands } from './shared-commands.ts'

/** The topics for timers that a handler has set, and for durable runs. */
const TIMERS = 'timers'
const RUNS = 'runs'
/** A readiness request waits no longer than this. */
const LOOK_MS = 500
const PLACE_MS = 50

/** One instance of many: takes events from the engine and, while it is the leader, reads the feed for all instances. */
export class ClusterInstance implements Instance, Duties, TermHost {
  readonly ended: Promise<BotEnd>
  readonly placed: Promise<void>
  readonly bot: LoadedBot
  readonly service: ServiceClock
  readonly totals = new FeedTotals()
  readonly services: InstanceServices
  /** For events that have waited in the queues. */
  readonly #catchUp: CatchUpRules
  readonly #member: ClusterMember
  readonly #receiver: EventReceiver | undefined
  readonly #acks: ClusterAcks
  readonly #commands: SharedCommands
  readonly #startedMs: number
  #definitions: readonly Definition[] | undefined
  #leading: LeaderTerm | undefined
  #takeovers = 0
  #started = 0
  #finished = 0
  #known: ClusterStatus | undefined
  /** How many events were set aside when the engine responded last. */
  #setAside = 0
  #end!: (end: BotEnd) => void
  #place!: () => void
  #stopped = false

  constructor(bot: LoadedBot, services: InstanceServices) {
    const { call } = bot
    const { store } = bot.backend
    const { clock, options } = bot.connection
    const { config, log } = options
    this.bot = bot
    this.services = services
    this.#member = services.member
    // All instances share it: the one of a host may be wrong.
    this.service = new ServiceClock(clock)
    this.#startedMs = clock.monotonic()
    this.ended = new Promise((resolve) => (this.#end = resolve))
    this.placed = new Promise((resolve) => (this.#place = resolve))
    this.#catchUp = new CatchUpRules(config.catchUp, { clock: this.service, log })
    this.#acks = new ClusterAcks({ call: services.callOf(call), answers: call.answers, service: this.service, log })
    this.#commands = new SharedCommands({ member: this.#member, store, clock, log })
    store.onWrite = (key, value) => {
      if (bot.runs.onStoreWrite(key, value) && !this.#leading) this.#member.wake(RUNS)
      if (!key.startsWith(timerPrefix)) return
      if (this.#leading) this.#leading.wake()
      else this.#member.wake(TIMERS)
    }
    this.#receiver = openBotReceiver(bot, this.service, (event) => this.#member.offer(event))
  }

  get definitions(): readonly Definition[] {
    return this.#definitions ?? this.bot.code.definitions
  }

  start(): void {
    this.#member.start(this)
    void this.#findPlace()
  }

  /** Waits until a leader has saved a position. */
  async #findPlace(): Promise<void> {
    const { clock } = this.bot.connection
    while (!this.#stopped) {
      const status = await this.#member.cluster().catch(() => undefined)
      if (status?.cursor) break
      await sleep(clock, PLACE_MS)
    }
    this.#place()
  }

  async listen(): Promise<{ port: number } | undefined> {
    return this.#receiver?.listen()
  }

  register(commands: readonly Command[], register: RegisterCommands): Promise<void> {
    return this.#commands.begin(commands, register)
  }

  async update(definitions: readonly Definition[]): Promise<void> {
    this.#definitions = definitions
    await Promise.all([this.#leading?.update(definitions), this.bot.runs.update(definitions)])
  }

  /** A new leader takes care of the work that others left unfinished. */
  settle(): void {}

  // The duties of an instance.

  run(delivery: Delivery): void | Promise<void | Gathered> {
    const { event, asked, attempt } = delivery
    if (isWake(event)) return this.bot.runs.dispatcher.dispatch(delivery)
    const { service } = this
    hideTokenOf(event)
    this.bot.observer.received?.(delivery)
    // Events that were too old when this instance started waited while no instance ran. Waiting for a busy channel does not make one too old.
    const arrivedMs = service.now() - (service.monotonic() - this.#startedMs)
    if (this.#catchUp.arrived(delivery, arrivedMs)) {
      this.#catchUp.takeSkipped(delivery)
      return this.skip(delivery)
    }
    const click = clickOf(event, service)
    if (!click || asked || attempt > 1 || !this.#catchUp.isLateClick(event, arrivedMs))
      return this.#run(delivery, click)
    return this.#runUnlessFailed(delivery, click)
  }

  /** Runs a click unless its user saw it fail because no instance ran. */
  async #runUnlessFailed(delivery: Delivery, click: Click): Promise<void | Gathered> {
    // If this is unknown, the click runs: an acknowledged click must not get lost.
    if (!(await this.#member.unheard(click).catch(() => false))) return this.#run(delivery, click)
    this.#catchUp.countFailedClick()
    this.skip(delivery)
  }

  skip(delivery: Delivery): void {
    this.bot.observer.started?.(delivery)
    observeUnrun(this.bot, delivery, 'skipped', this.#catchUp.reasonOf(delivery.event))
    this.bot.observer.settled?.(delivery)
  }

  #run(delivery: Delivery, click: Click | undefined): Promise<void | Gathered> {
    const { call, observer, runs } = this.bot
    if (click) call.answers.open(click.interactionId, this.service.leftMs(click.expiresAtMs))
    observer.started?.(delivery)
    this.#started++
    return runs.dispatcher.dispatch(delivery).then((gathered) => {
      this.#settled(delivery)
      return gathered
    })
  }

  #settled(delivery: Delivery): void {
    this.#finished++
    this.bot.observer.settled?.(delivery)
  }

  setAside(delivery: Delivery, reason: string): void {
    observeAside(this.bot, delivery, reason)
  }

  async lead(term: Term): Promise<void> {
    this.#takeovers++
    const leading = new LeaderTerm(this, term)
    this.#leading = leading
    term.signal.addEventListener('abort', () => void this.#leadsNoLonger(leading), { once: true })
    if (term.signal.aborted) return this.#leadsNoLonger(leading)
    void leading.ended.then(({ reason, error }) => {
      if (reason === 'unauthorized') this.#end({ reason, ...(error && { error }) })
    })
    void leading.placed.then(this.#place)
    // The former leader may have crashed during the registration.
    void this.#commands.settle()
    await leading.begin()
  }

  async #leadsNoLonger(leading: LeaderTerm): Promise<void> {
    if (this.#leading === leading) this.#leading = undefined
    await leading.stop()
  }

  ack(click: Click, mayLeave: () => boolean): Promise<void> {
    return this.#acks.ack(click, mayLeave)
  }

  async lost(why: string): Promise<void> {
    const { connection, dispatcher, outbox } = this.bot
    const { running } = dispatcher
    this.services.claims.lost()
    outbox.broadcasts.abandon()
    const ends =
      running === 0
        ? 'no handler was running here'
        : running === 1
          ? '1 running handler was stopped; another instance runs its event again'
          : `${running} running handlers were stopped; other instances run their events again`
    connection.options.log.warn({ running }, `${why}: ${ends}`)
    this.bot.runs.abandon()
    await dispatcher.abandon()
  }

  joined(): void {
    // This instance may run the newest code again.
    void this.#commands.settle()
  }

  async gone(): Promise<void> {
    void this.#commands.settle()
    await this.#leading?.takeOver()
  }

  woken(topic: string): void {
    if (topic === TIMERS) this.#leading?.wake()
    if (topic === RUNS) this.bot.runs.look()
  }

  // Status.

  stats(): BotStats {
    const { dispatcher } = this.bot
    const leading = this.totals.with(this.#leading?.stats())
    return {
      ...leading,
      started: this.#started,
      finished: this.#finished,
      running: dispatcher.running,
      acks: this.#acks.sent,
      skipped: leading.skipped + this.#catchUp.skipped,
      unknown: this.bot.unknown.count,
    }
  }

  facts(): InstanceFacts {
    const cluster = this.#known
    return {
      setAside: this.#setAside,
      serviceAheadMs: this.service.aheadOfHostMs,
      ...(this.#receiver && { webhook: this.#receiver.stats() }),
      cluster: {
        member: this.#member.status(),
        takeovers: this.#takeovers,
        fenced: this.services.fenced,
        ...(cluster && { cluster }),
      },
    }
  }

  deadLetters(): readonly SetAside[] {
    return this.#known?.setAside ?? []
  }

  async replay(id: number): Promise<boolean> {
    const { connection, me } = this.bot
    const { baseUrl, cluster } = connection.options
    return (await cluster!.replay({ baseUrl, botId: me.id }, [id])).includes(id)
  }

  /** Reads the cluster's status before the metrics are returned. They lack it if the engine does not respond in time. */
  async refresh(): Promise<void> {
    const { clock } = this.bot.connection
    this.#known = undefined
    if (this.#member.status().awaySinceMs !== undefined) return
    const late = new Promise<undefined>((resolve) => clock.after(LOOK_MS, () => resolve(undefined)))
    this.#known = await Promise.race([this.#member.cluster().catch(() => undefined), late])
    this.#setAside = this.#known?.setAside.length ?? this.#setAside
  }

  async stop(graceMs: number): Promise<{ unfinished: number; unfinishedTasks: number }> {
    this.#stopped = true
    this.#commands.stop()
    await this.#receiver?.close()
    const leading = this.#leading
    this.#leading = undefined
    // Another instance leads at once, while running handlers finish here.
    const tasks = leading?.stop(graceMs)
    await leading?.resigned
    const { dispatcher, connection } = this.bot
    const stopped = this.#member.stop({ graceMs })
    this.bot.runs.stop()
    const [{ unfinished }] = await Promise.all([
      stopped,
      // Runs that a time has woken, and deliveries of other instances.
      drain(elapsedOf(connection.clock), () => dispatcher.running, graceMs),
    ])
    this.#catchUp.logSkipped()
    const unfinishedTasks = (await tasks)?.unfinished ?? 0
    this.#end({ reason: 'stopped' })
    return { unfinished, unfinishedTasks }
  }

  async cancel(): Promise<void> {
    await this.stop(0)
  }
}
