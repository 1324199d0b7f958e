import type { BroadcastProgress, Broadcasts } from './broadcast-job.ts'

/** What `ctx.broadcast` may be told. */
export interface BroadcastOptions {
  /** Names it, so that it is sent once however often it is asked for: `'release 2.0'`. Default: once for each event. */
  id?: string
}

/** A broadcast that was started. Everything here may be left alone: it goes on by itself. */
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

  /** How far it was when it was last looked at. */
  get progress(): BroadcastProgress {
    return this.#last
  }

  /** Each step until it is over: `for await (const { done, total } of broadcast.steps())`. */
  async *steps(): AsyncGenerator<BroadcastProgress, void, undefined> {
    yield this.#last
    while (this.#last.state === 'running') {
      const next = await this.#broadcasts.next(this.id, this.#last.done)
      // It is kept for two days; who waits longer has seen its end.
      if (!next || (next.state === 'running' && next.done === this.#last.done)) return
      yield (this.#last = next)
    }
  }

  /** Waits until it is over: minutes, when it is long. A handler has `limits.handlerSeconds`; the broadcast does not end with it. */
  async done(): Promise<BroadcastProgress> {
    for await (const step of this.steps()) this.#last = step
    return this.#last
  }

  /** Sends no more of it. */
  async cancel(): Promise<BroadcastProgress> {
    return (this.#last = (await this.#broadcasts.cancel(this.id)) ?? this.#last)
  }
}
