import type { Clock } from '@botwright/clock'
import { createEventReceiver, createFeed, type Delivery, type EventReceiver, type Feed } from '@botwright/events'
import type { AutoAck } from '../auto-ack.ts'
import type { Config } from '../config.ts'
import type { BotParts } from './parts.ts'

/** The feed's own watchdog ends a poll a little earlier. */
const POLL_SLACK_SECONDS = 15

/** The bot's events, from the poll and the receiver to its dispatcher. */
export function createBotFeed(parts: BotParts, acks: AutoAck): { feed: Feed; receiver: EventReceiver | undefined } {
  const { options, clock, call, me, journal, dispatcher, report } = parts
  const { config } = options
  const feed = createFeed({
    listEvents: ({ after, wait }, abort) =>
      call(
        'events.list',
        { after, wait },
        { signal: abort, timeoutMs: (wait + POLL_SLACK_SECONDS) * 1000, unchecked: true },
      ),
    journal,
    clock,
    report,
    run: (delivery) => (isTooOld(delivery, config, clock) ? undefined : dispatcher.dispatch(delivery)),
    received: ({ event, redelivered }) => {
      options.hear?.(event)
      acks.received(event, redelivered)
    },
    delivery: config.delivery,
    start: config.start,
    maxWaiting: config.limits.waiting,
    // A handler cannot bring this process down from its worker, where its deaths are counted: a process that dies with many
    // events running says little about each of them.
    ...(options.dispatcher !== 'inline' && { handlerAttempts: 10 }),
  })
  if (config.delivery === 'poll') return { feed, receiver: undefined }
  const receiver = createEventReceiver({
    secrets: [...options.webhookSecrets!],
    botId: me.id,
    offer: (event) => feed.offer(event),
    report,
    clock,
    ...config.webhook,
  })
  return { feed, receiver }
}

/** `catchUp`: what happened too long ago is passed over; it counts as finished. */
function isTooOld({ event }: Delivery, { catchUp }: Config, clock: Clock): boolean {
  return catchUp !== undefined && clock.now() - Date.parse(event.created_at) > catchUp.olderThanSeconds * 1000
}
