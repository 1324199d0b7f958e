import {
  createEventReceiver,
  createFeed,
  type Delivery,
  type EventReceiver,
  type Feed,
  type FeedOptions,
  type Journal,
} from '@botwright/events'
import type { Call } from '@botwright/rest'
import type { AutoAck } from '../clicks/auto-ack.ts'
import { Away } from '../delivery/away.ts'
import { CatchUpRules } from '../delivery/catch-up.ts'
import { hideTokenOf } from '../../link/redaction.ts'
import type { Result } from '../../link/ports.ts'
import type { Recorder } from '../recording/recorder.ts'
import { UnknownTypes } from '../delivery/unknown-types.ts'
import type { LoadedBot } from './stages.ts'

/** The feed's own watchdog ends a poll a little earlier. */
const POLL_SLACK_SECONDS = 15

export interface BotFeed {
  feed: Feed
  receiver: EventReceiver | undefined
  catchUp: CatchUpRules
  unknown: UnknownTypes
}

/** The bot's events, from the poll and the receiver to its dispatcher. */
export function createBotFeed(bot: LoadedBot, journal: Journal, acks: AutoAck): BotFeed {
  const { call, me, dispatcher, recorder } = bot
  const { options, clock, report } = bot.connection
  const health = bot.health?.server
  const { config } = options
  const away = new Away(clock, journal.cursor()?.savedAtMs ?? 0)
  const catchUp = new CatchUpRules(config.catchUp, { clock, log: options.log, away })
  const run = (delivery: Delivery) => {
    if (!catchUp.passes(delivery)) return dispatcher.dispatch(delivery)
    if (recorder) void recordUnrun(bot, delivery, { result: 'skipped', message: catchUp.reasonOf(delivery.event) })
  }
  const unknown = new UnknownTypes(options.log)
  const feed = createFeed({
    listEvents: pollOf(call, away),
    journal,
    clock,
    report,
    run: recorder ? (delivery) => settling(recorder, delivery.id, run(delivery)) : run,
    received: (delivery) => {
      options.hear?.(delivery.event)
      hideTokenOf(delivery.event)
      recorder?.hear(delivery.event)
      unknown.received(delivery.event)
      health?.heard(delivery.event)
      if (!catchUp.arrived(delivery)) acks.received(delivery.event, delivery.redelivered)
    },
    setAside: (delivery, message) => {
      recorder?.hear(delivery.event)
      if (recorder) void recordUnrun(bot, delivery, { result: 'dead_lettered', message })
    },
    ...(options.holdPoll && { holdPoll: options.holdPoll }),
    delivery: config.delivery,
    start: config.start,
    maxWaiting: config.limits.waiting,
    // A handler cannot bring this process down from its worker, where its deaths are counted: a process that dies with many
    // events running says little about each of them.
    ...(options.dispatcher !== 'inline' && { handlerAttempts: 10 }),
  })
  if (config.delivery === 'poll') return { feed, receiver: undefined, catchUp, unknown }
  const receiver = createEventReceiver({
    secrets: [...options.webhookSecrets!],
    botId: me.id,
    offer: (event) => feed.offer(event),
    report,
    clock,
    ...config.webhook,
  })
  return { feed, receiver, catchUp, unknown }
}

/** Records an event that never ran, with the file that would have handled it. */
export async function recordUnrun(
  { dispatcher, recorder }: Pick<LoadedBot, 'dispatcher' | 'recorder'>,
  delivery: Delivery,
  { result, message }: { result: Result; message: string },
): Promise<void> {
  const [file] = await dispatcher.files([delivery])
  const { id: eventId, type } = delivery.event
  recorder?.observe({ eventId, type, file, result, error: { message, at: file ?? '', reference: '' } })
}

/** One poll of the feed. */
export function pollOf(call: Call, away: Away): FeedOptions['listEvents'] {
  return ({ after, wait }, abort) => {
    const timeoutMs = (wait + POLL_SLACK_SECONDS) * 1000
    return away.watch(after, call('events.list', { after, wait }, { signal: abort, timeoutMs, unchecked: true }))
  }
}

/** Tells the recorder when nothing runs for an event any more. */
function settling(recorder: Recorder, id: number, running: void | Promise<void>): void | Promise<void> {
  if (!running) return recorder.settled(id)
  return running.then(() => recorder.settled(id))
}
