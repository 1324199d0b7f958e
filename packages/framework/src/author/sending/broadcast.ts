import type { MessageCreate } from '@botwright/protocol/shapes'

/** The input of a broadcast. */
export interface BroadcastInput {
  channels: readonly string[]
  message: MessageCreate
  // Its author has given it an id: it is kept after its end, so that it is never sent again.
  isNamed?: true
}

/** The progress of a broadcast. */
export interface BroadcastProgress {
  /** All channels, and those that are decided. */
  total: number
  done: number
  /** The messages that were posted. */
  sent: readonly { channel_id: string; message_id: string }[]
  /** Channels that could not be posted to, or whose outcome is unknown after a crash. */
  failed: readonly { channel_id: string; reason: string }[]
  /** `running` until every channel is decided, or it was cancelled. */
  state: 'running' | 'done' | 'cancelled'
}

// How many of its messages and failures a caller has read: each is passed on once.
export type Known = { sent: number; failed: number }

/** The broadcasts of the supervisor: they outlive the handler, its thread and the process. */
export interface Broadcasts {
  // Starts it, or finds the one with this id: a handler that runs again does not send twice.
  start(id: string, input: BroadcastInput): Promise<BroadcastProgress>
  // Resolves when more than `done` channels are decided or it has ended, without what is `known`; undefined if there is no such broadcast.
  next(id: string, done: number, known?: Known): Promise<BroadcastProgress | undefined>
  // Stops sending it.
  cancel(id: string): Promise<BroadcastProgress | undefined>
}

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
    while (this.#last.state === 'running' && (await this.#next(this.#last.done))) yield this.#last
  }

  /** Waits until it has ended, which can take minutes. A handler has `limits.handlerSeconds`; the broadcast continues after that. */
  async done(): Promise<BroadcastProgress> {
    // One wait for its end, because a durable handler records the progress after each.
    while (this.#last.state === 'running' && (await this.#next(Infinity)));
    return this.#last
  }

  /** Waits until more than `done` channels are decided or it has ended. False if there is nothing to wait for. */
  async #next(done: number): Promise<boolean> {
    const { sent, failed } = this.#last
    const next = await this.#broadcasts.next(this.id, done, { sent: sent.length, failed: failed.length })
    // Without an id of its author, it is stored for two weeks; a longer wait has seen its end.
    if (!next || (next.state === 'running' && next.done === this.#last.done)) return false
    this.#last = { ...next, sent: [...sent, ...next.sent], failed: [...failed, ...next.failed] }
    return true
  }

  /** Stops sending it. */
  async cancel(): Promise<BroadcastProgress> {
    return (this.#last = (await this.#broadcasts.cancel(this.id)) ?? this.#last)
  }
}
