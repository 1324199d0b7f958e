import { elapsedOf } from '@botwright/clock'
import {
  createFeed,
  type Delivery,
  type EventReceiver,
  type Feed,
  type Gathered,
  type Journal,
  type Run,
} from '@botwright/events'
import { hideTokenOf } from '../../link/redaction.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import { MissedClicks, type ServiceClock } from '../delivery/service-clock.ts'
import { observeAside, observeUnrun, openBotReceiver, pollOf } from '../delivery/feed.ts'
import type { LoadedBot } from '../../runtime/instance/stage-types.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { AutoAck } from './auto-ack.ts'

interface BotFeed {
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
