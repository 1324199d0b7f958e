import { AsyncLocalStorage } from 'node:async_hooks'
import type { Bot } from './host.ts'

/** Tells, from anywhere below a handler, which event it runs for. It costs every await a little: made only where a bot is recorded. */
export class EventScope {
  readonly #current = new AsyncLocalStorage<number>()

  /** The event whose handler this is; undefined outside of handlers. */
  get eventId(): number | undefined {
    return this.#current.getStore()
  }

  run<T>(eventId: number, work: () => T): T {
    return this.#current.run(eventId, work)
  }

  /** The bot with apologies that belong to their own event: the timer that leads to one may have begun in another event's handler. */
  around(bot: Bot): Bot {
    return { ...bot, apologize: (delivery, why) => this.run(delivery.id, () => bot.apologize(delivery, why)) }
  }
}
