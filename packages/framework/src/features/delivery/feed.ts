import {
  type BotEvent,
  createEventReceiver,
  type Delivery,
  eventKey,
  type EventReceiver,
  type FeedOptions,
} from '@botwright/events'
import type { Call } from '@botwright/rest'
import type { MissedClicks, ServiceClock } from './service-clock.ts'
import type { Unrun } from '../../runtime/ports/observer.ts'
import type { LoadedBot } from '../../runtime/instance/stage-types.ts'

/** Longer than the slack of the feed's own watchdog, which ends a poll first. */
const POLL_SLACK_SECONDS = 15

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
  void bot.runs.lost(eventKey(delivery.event), true)
}

/** The function with which the feed polls. */
export function pollOf(call: Call, missed: MissedClicks): FeedOptions['listEvents'] {
  return ({ after, wait }, abort) => {
    const timeoutMs = (wait + POLL_SLACK_SECONDS) * 1000
    return missed.watch(after, call('events.list', { after, wait }, { signal: abort, timeoutMs, unchecked: true }))
  }
}
