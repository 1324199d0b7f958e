import { AsyncLocalStorage } from 'node:async_hooks'
import type { Bot } from './host.ts'

/** Tracks the event of the running handler across awaits. Created only for recorded bots, because it slows down every await. */
export class EventScope {
  readonly #current = new AsyncLocalStorage<number>()

  /** The event of the running handler; undefined outside handlers. */
  get eventId(): number | undefined {
    return this.#current.getStore()
  }

  run<T>(eventId: number, work: () => T): T {
    return this.#current.run(eventId, work)
  }

  /** Runs apologies in the scope of their own event, because their timer may have started in another event's handler. */
  wrap(bot: Bot): Bot {
    return { ...bot, apologize: (delivery, why) => this.run(delivery.id, () => bot.apologize(delivery, why)) }
  }
}
