import { AsyncLocalStorage } from 'node:async_hooks'

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
}
