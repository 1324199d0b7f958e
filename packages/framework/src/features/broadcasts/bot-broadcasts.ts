import type { Log, StateStore } from '../../author/ports.ts'
import type { Broadcasts } from '../../author/sending/broadcast.ts'
import { BROADCASTS, type OwnBroadcasts } from '../../runtime/ports/broadcasts.ts'

export interface BotBroadcastsOptions {
  store: Pick<StateStore, 'list'>
  log: Log
  /** Loads the sending of broadcasts. */
  open: () => Promise<OwnBroadcasts>
  /** See `BotSource.loading`. */
  loading?: ((loaded: Promise<unknown>) => void) | undefined
}

/** The broadcasts of a bot. The first one, or an unfinished one, loads their code. */
export class BotBroadcasts implements OwnBroadcasts {
  readonly #options: BotBroadcastsOptions
  #opening: Promise<OwnBroadcasts> | undefined
  #opened: OwnBroadcasts | undefined
  #closed = false

  constructor(options: BotBroadcastsOptions) {
    this.#options = options
  }

  readonly start: Broadcasts['start'] = async (...given) => (await this.#open()).start(...given)
  readonly next: Broadcasts['next'] = async (...given) => (await this.#open()).next(...given)
  readonly cancel: Broadcasts['cancel'] = async (...given) => (await this.#open()).cancel(...given)

  async resume(): Promise<void> {
    if (this.#opened) return this.#opened.resume()
    if (this.#closed) return
    const stored = this.#options.store.list(BROADCASTS)
    const found = await stored.catch(() => undefined)
    if (found?.length === 0) return
    const failed = (error: Error) =>
      this.#options.log.error({ error }, `the code of unfinished broadcasts could not be loaded: ${error.message}`)
    // Broadcasts that cannot be read now are read again later.
    await this.#open().then((opened) => opened.resume(stored), failed)
  }

  abandon(): void {
    this.#opened?.abandon()
  }

  async close(): Promise<void> {
    this.#closed = true
    await (this.#opened ?? (await this.#opening?.catch(() => undefined)))?.close()
  }

  async #open(): Promise<OwnBroadcasts> {
    if (this.#opened) return this.#opened
    if (!this.#opening) {
      this.#opening = this.#options.open()
      // The next broadcast tries again.
      this.#opening.catch(() => (this.#opening = undefined))
      this.#options.loading?.(this.#opening)
    }
    this.#opened = await this.#opening
    if (this.#closed) void this.#opened.close()
    return this.#opened
  }
}
