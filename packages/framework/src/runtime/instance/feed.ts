import { elapsedOf } from '@botwright/clock'
import {
  createEventReceiver,
  createFeed,
  eventKey,
  type Delivery,
  type EventKey,
  type EventReceiver,
  type Feed,
  type FeedOptions,
  type Journal,
} from '@botwright/events'
import type { Call } from '@botwright/rest'
import type { AutoAck } from '../clicks/auto-ack.ts'
import { MissedClicks, type ServiceClock } from '../delivery/service-clock.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import type { Result } from '../../link/ports.ts'
import type { Recorder } from '../recording/recorder.ts'
import { UnknownTypes } from '../delivery/unknown-types.ts'
import type { LoadedBot } from './stages.ts'

/** Longer than the slack of the feed's own watchdog, which ends a poll first. */
const POLL_SLACK_SECONDS = 15

export interface BotFeed {
  feed: Feed
  receiver: EventReceiver | undefined
  catchUp: CatchUpRules
  unknown: UnknownTypes
}

/** Connects polling and the webhook receiver to the bot's dispatcher. */
export function createBotFeed(bot: LoadedBot, journal: Journal, service: ServiceClock, acks: AutoAck): BotFeed {
  const { call, me, runs, recorder } = bot
  const { options, clock, report } = bot.connection
  const health = bot.health?.server
  const { config } = options
  const missed = new MissedClicks(service, journal.cursor()?.savedAtMs ?? 0)
  const catchUp = new CatchUpRules(config.catchUp, { clock: service, log: options.log, missed })
  const run = (delivery: Delivery) => {
    if (!catchUp.takeSkipped(delivery)) return runs.dispatcher.dispatch(delivery)
    recorder?.unrun(eventKey(delivery.event), 'skipped')
    if (recorder) void recordUnrun(bot, delivery, { result: 'skipped', message: catchUp.reasonOf(delivery.event) })
  }
  const unknown = new UnknownTypes(options.log)
  const feed = createFeed({
    listEvents: pollOf(call, missed),
    journal,
    clock: elapsedOf(clock),
    report,
    run: recorder
      ? (delivery) => (
          recorder.started(eventKey(delivery.event)),
          settling(recorder, eventKey(delivery.event), run(delivery))
        )
      : run,
    received: (delivery) => {
      options.hear?.(delivery.event)
      hideTokenOf(delivery.event)
      recorder?.received(delivery.event, delivery.attempt)
      unknown.received(delivery.event)
      health?.received(delivery.event)
      if (!catchUp.arrived(delivery)) acks.received(delivery.event, delivery.attempt > 1)
    },
    setAside: (delivery, message) => {
      recorder?.received(delivery.event, delivery.attempt)
      recorder?.unrun(eventKey(delivery.event), 'set_aside')
      if (recorder) void recordUnrun(bot, delivery, { result: 'dead_lettered', message })
    },
    expired: (key) => runs.lost(key),
    ...(options.holdPoll && { holdPoll: options.holdPoll }),
    delivery: config.delivery,
    start: config.start,
    maxWaiting: config.limits.waiting,
    // A handler crashes only its worker, where crashes are counted. When this process crashes with many running events, no single
    // one is a likely cause.
    ...(options.dispatcher !== 'inline' && { handlerAttempts: 10 }),
  })
  if (config.delivery === 'poll') return { feed, receiver: undefined, catchUp, unknown }
  const receiver = createEventReceiver({
    secrets: [...options.webhookSecrets!],
    botId: me.id,
    offer: (event) => {
      service.pushed(event)
      return feed.offer(event)
    },
    report,
    clock: service,
    ...config.webhook,
  })
  return { feed, receiver, catchUp, unknown }
}

/** Records an event that did not run, with the file that would have handled it. */
export async function recordUnrun(
  { dispatcher, recorder }: Pick<LoadedBot, 'dispatcher' | 'recorder'>,
  delivery: Delivery,
  { result, message }: { result: Result; message: string },
): Promise<void> {
  const [file] = await dispatcher.files([delivery])
  const { event } = delivery
  const eventId = eventKey(event)
  recorder?.observe({ eventId, type: event.type, file, result, error: { message, at: file ?? '', reference: '' } })
}

/** The function with which the feed polls. */
export function pollOf(call: Call, missed: MissedClicks): FeedOptions['listEvents'] {
  return ({ after, wait }, abort) => {
    const timeoutMs = (wait + POLL_SLACK_SECONDS) * 1000
    return missed.watch(after, call('events.list', { after, wait }, { signal: abort, timeoutMs, unchecked: true }))
  }
}

/** Notifies the recorder when the handlers of an event have finished. */
function settling(recorder: Recorder, key: EventKey, running: void | Promise<void>): void | Promise<void> {
  if (!running) return recorder.settled(key)
  return running.then(() => recorder.settled(key))
}
