import type { BroadcastProgress, Broadcasts } from './broadcast-job.ts'

/** The options of `ctx.broadcast`. */
export interface BroadcastOptions {
  /** An id, so that it is sent once however often it is requested: `'release 2.0'`. Default: once per event. */
  id?: string
}

/** A started broadcast. It continues by itself; you need not use the result. */
export class Broadcast {
  readonly id: string
  readonly #broadcasts: Broadcasts
  #last: BroadcastProgress

  /** @internal */
  constructor(id: string, broadcasts: Broadcasts, progress: BroadcastProgress) {
    this.id = id
    this.#broadcasts = broadcasts
    this.#last = progress
  }

  /** The progress when it was last read. */
  get progress(): BroadcastProgress {
    return this.#last
  }

  /** Each step until it has ended: `for await (const { done, total } of broadcast.steps())`. */
  async *steps(): AsyncGenerator<BroadcastProgress, void, undefined> {
    yield this.#last
    while (this.#last.state === 'running') {
      const next = await this.#broadcasts.next(this.id, this.#last.done)
      // It is stored for two days; a longer wait has seen its end.
      if (!next || (next.state === 'running' && next.done === this.#last.done)) return
      yield (this.#last = next)
    }
  }

  /** Waits until it has ended, which can take minutes. A handler has `limits.handlerSeconds`; the broadcast continues after that. */
  async done(): Promise<BroadcastProgress> {
    for await (const step of this.steps()) this.#last = step
    return this.#last
  }

  /** Stops sending it. */
  async cancel(): Promise<BroadcastProgress> {
    return (this.#last = (await this.#broadcasts.cancel(this.id)) ?? this.#last)
  }
}
