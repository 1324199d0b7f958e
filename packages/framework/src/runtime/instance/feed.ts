import { elapsedOf } from '@botwright/clock'
import {
  type BotEvent,
  createEventReceiver,
  createFeed,
  type Delivery,
  eventKey,
  type EventReceiver,
  type Feed,
  type FeedOptions,
  type Gathered,
  type Journal,
  type Run,
} from '@botwright/events'
import type { Call } from '@botwright/rest'
import type { AutoAck } from '../clicks/auto-ack.ts'
import { MissedClicks, type ServiceClock } from '../delivery/service-clock.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import type { Observer, Unrun } from '../ports/observer.ts'
import type { LoadedBot } from './stage-types.ts'

/** Longer than the slack of the feed's own watchdog, which ends a poll first. */
const POLL_SLACK_SECONDS = 15

export interface BotFeed {
  feed: Feed
  receiver: EventReceiver | undefined
  catchUp: CatchUpRules
}

/** Connects polling and the webhook receiver to the bot's dispatcher. */
export function createBotFeed(bot: LoadedBot, journal: Journal, service: ServiceClock, acks: AutoAck): BotFeed {
  const { call, observer, runs } = bot
  const { options, clock, report } = bot.connection
  const { config } = options
  const missed = new MissedClicks(service, journal.cursor()?.savedAtMs ?? 0)
  const catchUp = new CatchUpRules(config.catchUp, { clock: service, log: options.log, missed })
  const run = (delivery: Delivery) => {
    if (!catchUp.takeSkipped(delivery)) return runs.dispatcher.dispatch(delivery)
    observeUnrun(bot, delivery, 'skipped', catchUp.reasonOf(delivery.event))
  }
  const feed = createFeed({
    listEvents: pollOf(call, missed),
    journal,
    clock: elapsedOf(clock),
    report,
    run: observer.started || observer.settled ? (delivery) => observed(observer, delivery, run) : run,
    received: (delivery) => {
      hideTokenOf(delivery.event)
      observer.received?.(delivery)
      if (!catchUp.arrived(delivery)) acks.received(delivery.event, delivery.attempt > 1)
    },
    setAside: (delivery, message) => observeAside(bot, delivery, message),
    expired: (key) => runs.lost(key),
    ...(options.holdPoll && { holdPoll: options.holdPoll }),
    delivery: config.delivery,
    start: config.start,
    maxWaiting: config.limits.waiting,
    // A handler crashes only its worker, where crashes are counted. When this process crashes with many running events, no single
    // one is a likely cause.
    ...(options.dispatcher !== 'inline' && { handlerAttempts: 10 }),
  })
  return { feed, receiver: openBotReceiver(bot, service, (event) => feed.offer(event)), catchUp }
}

/** Opens the receiver of event webhooks, if the bot uses any. */
export function openBotReceiver(
  { connection: { options, report }, me }: LoadedBot,
  service: ServiceClock,
  offer: (event: BotEvent) => Promise<void>,
): EventReceiver | undefined {
  const { config, openReceiver = createEventReceiver, webhookSecrets = [] } = options
  if (config.delivery === 'poll') return undefined
  return openReceiver({
    secrets: [...webhookSecrets],
    botId: me.id,
    offer: (event) => {
      service.pushed(event)
      return offer(event)
    },
    report,
    clock: service,
    ...config.webhook,
  })
}

/** Notifies the observers of an event that does not run. */
export function observeUnrun(
  { dispatcher, observer }: Pick<LoadedBot, 'dispatcher' | 'observer'>,
  delivery: Delivery,
  result: Unrun['result'],
  message: string,
): void {
  observer.unrun?.(delivery, { result, message, file: async () => (await dispatcher.files([delivery]))[0] })
}

/** Notifies the observers of an event that was set aside after its attempts. No message waits for its durable runs. */
export function observeAside(bot: LoadedBot, delivery: Delivery, message: string): void {
  observeUnrun(bot, delivery, 'dead_lettered', message)
  bot.runs.lost(eventKey(delivery.event), true)
}

/** The function with which the feed polls. */
export function pollOf(call: Call, missed: MissedClicks): FeedOptions['listEvents'] {
  return ({ after, wait }, abort) => {
    const timeoutMs = (wait + POLL_SLACK_SECONDS) * 1000
    return missed.watch(after, call('events.list', { after, wait }, { signal: abort, timeoutMs, unchecked: true }))
  }
}

/** Runs an event, and notifies the observers when its turn begins and ends. */
function observed(observer: Observer, delivery: Delivery, run: Run): void | Promise<void | Gathered> {
  observer.started?.(delivery)
  const running = run(delivery)
  if (!running) return observer.settled?.(delivery)
  return running.then((gathered) => {
    observer.settled?.(delivery)
    return gathered
  })
}
