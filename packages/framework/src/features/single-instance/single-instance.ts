import { drain, elapsedOf, systemClock } from '@botwright/clock'
import type { EventReceiver, Feed, Journal, QueueState, SetAside } from '@botwright/events'
import type { Command } from '@botwright/protocol/shapes'
import { AutoAck } from './auto-ack.ts'
import { type Again, CONVERSATIONS, type StoredConversations } from '../../runtime/ports/conversations.ts'
import type { CatchUpRules } from '../delivery/catch-up.ts'
import { type SavedDifference, ServiceClock } from '../delivery/service-clock.ts'
import type { Definition } from '../../author/files/entries.ts'
import { createBotFeed } from './bot-feed.ts'
import type { Instance, InstanceFacts, LoadedBot, RegisterCommands } from '../../runtime/instance/stage-types.ts'
import type { BotEnd, BotStats } from '../../runtime/ports/bot-facts.ts'
import type { Tasks } from '../../runtime/ports/tasks.ts'

/** So many queues are shown. */
const MOST_QUEUES = 10

/** The only instance of a bot: polls the feed and passes each event to the dispatcher. */
export class SingleInstance implements Instance {
  readonly ended: Promise<BotEnd>
  readonly placed: Promise<void>
  readonly #bot: LoadedBot
  readonly #journal: Journal
  /** The conversations of the former process. */
  readonly #conversations: Promise<StoredConversations>
  readonly #service: ServiceClock
  readonly #again: Again
  readonly #acks: AutoAck
  readonly #feed: Feed
  readonly #receiver: EventReceiver | undefined
  readonly #catchUp: CatchUpRules
  readonly #replays: Promise<{ stop(): void }>
  readonly #tasks: Tasks

  constructor(bot: LoadedBot, journal: Journal) {
    const { call } = bot
    const { store } = bot.backend
    const { clock, options } = bot.connection
    const { log } = options
    this.#bot = bot
    this.#journal = journal
    this.#again = { clock, signal: bot.closing }
    const asked = new Set<string>()
    let areRead = false
    this.#conversations = bot
      .openConversations()
      .then(({ former }) => former(store, asked, this.#again))
      .finally(() => {
        areRead = true
        asked.clear()
      })
    // `settle` reports it.
    this.#conversations.catch(() => {})
    // The dates of responses follow the system's clock, and not that of a test.
    const dateAheadMs = () => (elapsedOf(clock) === systemClock ? call.stats().dateAheadMs : undefined)
    const service = (this.#service = new ServiceClock(clock, savedDifference(journal), dateAheadMs))
    this.#acks = new AutoAck({ call, answers: call.answers, clock: service, log })
    const { feed, receiver, catchUp } = createBotFeed(bot, journal, service, this.#acks)
    this.#feed = feed
    this.#receiver = receiver
    this.#catchUp = catchUp
    this.ended = feed.ended
    this.placed = feed.placed
    // Uses the system clock: another process writes these requests, whatever the bot's clock shows.
    this.#replays = bot.openReplays({
      ...{ feed, journal, clock: systemClock, log },
      isShared: options.stateDir !== ':memory:',
    })
    const tasks = (this.#tasks = bot.createTasks())
    store.onWrite = (key, value) => {
      if (!areRead && key.startsWith(CONVERSATIONS)) asked.add(key)
      tasks.onStoreWrite(key)
      bot.runs.onStoreWrite(key, value)
    }
  }

  start(): void {
    this.#feed.start()
  }

  async listen(): Promise<{ port: number } | undefined> {
    return this.#receiver?.listen()
  }

  async register(commands: readonly Command[], register: RegisterCommands): Promise<void> {
    await register(commands)
  }

  async update(definitions: readonly Definition[]): Promise<void> {
    await Promise.all([this.#tasks.update(definitions), this.#bot.runs.update(definitions)])
  }

  settle(): void {
    const { backend, call, connection, openConversations, outbox } = this.#bot
    const { clock, options } = connection
    const { store } = backend
    const host = { store, call, log: options.log, again: this.#again }
    this.#bot.runs.lead(true)
    void outbox.broadcasts.resume()
    void openConversations().then(({ notify }) => notify(host, { stored: this.#conversations }, clock.now()))
  }

  stats(): BotStats {
    const { sent } = this.#acks
    return {
      ...this.#feed.stats(),
      acks: sent,
      skipped: this.#catchUp.skipped,
      unknown: this.#bot.unknown.count,
    }
  }

  facts(): InstanceFacts {
    return {
      journal: this.#journal.stats(),
      ...(this.#receiver && { webhook: this.#receiver.stats() }),
      setAside: this.#journal.countSetAside(),
      serviceAheadMs: this.#service.aheadOfHostMs,
    }
  }

  queues(): readonly QueueState[] {
    return this.#feed.queues(MOST_QUEUES)
  }

  deadLetters(): readonly SetAside[] {
    return this.#journal.listSetAside()
  }

  replay(id: number): Promise<boolean> {
    return this.#feed.replay(id)
  }

  async stop(graceMs: number): Promise<{ unfinished: number; unfinishedTasks: number }> {
    void this.#replays.then((replays) => replays.stop())
    await this.#receiver?.close()
    const { dispatcher, connection } = this.#bot
    const stopped = this.#feed.stop({ graceMs })
    // Only now: an event that waits for its run gives up, and the next one of its channel must not begin.
    this.#bot.runs.stop()
    const [events, runs] = await Promise.all([
      stopped,
      this.#tasks.stop(graceMs),
      // Durable runs that a time has woken.
      drain(elapsedOf(connection.clock), () => dispatcher.running, graceMs),
    ])
    this.#catchUp.logSkipped()
    await this.#acks.flush()
    return { unfinished: events.unfinished, unfinishedTasks: runs.unfinished }
  }

  async cancel(): Promise<void> {
    void this.#replays.then((replays) => replays.stop())
    const stopped = this.#feed.stop({ graceMs: 0 })
    this.#bot.runs.stop()
    await stopped
    await this.#receiver?.close()
    await this.#acks.flush()
  }
}

const CLOCK_DIFFERENCE = 'service_ahead_ms'

/** Stores how far the service's clock is ahead of the host's in the journal, for the backlog of the next start. */
const savedDifference = (journal: Journal): SavedDifference => ({
  read: () => Number(journal.getValue(CLOCK_DIFFERENCE) ?? 0),
  write: (aheadMs) => void journal.setValue(CLOCK_DIFFERENCE, String(aheadMs)),
})
