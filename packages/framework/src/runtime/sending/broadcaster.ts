// Sends one message to many channels, at the pace that the message budget leaves, over restarts.

import { type Clock, sleep } from '@botwright/clock'
import type { MessageCreate } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import type { Claims } from '../../link/claims.ts'
import { codeOf } from '../../author/error-code.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import {
  type BroadcastJob,
  type BroadcastProgress,
  type Broadcasts,
  progressOf,
} from '../../author/sending/broadcast-job.ts'

/** A broadcast that is over can be asked about for so long. */
const KEPT_MS = 2 * 24 * 60 * 60 * 1000
const PREFIX = 'broadcast:'
/** Another machine than the one that sends it wants it to end. */
const CANCEL_PREFIX = 'broadcast-cancel:'
/** A service that does not answer is asked again after so long: it may be away for minutes, and each channel is to have its message. */
const RETRY_MS = 5000
/** What other machines do is looked at so often. */
const LOOK_MS = 500

interface Running {
  job: BroadcastJob
  cancelled: boolean
  /** Another machine goes on with it: nothing more is sent or noted here. */
  abandoned: boolean
  giveUp: AbortController
  /** Those who wait for the next step. */
  waiting: (() => void)[]
  ended: Promise<void>
}

export interface BroadcasterOptions {
  call: Call
  store: StateStore
  clock: Clock
  log: Log
  /** Which machine sends what, where there are several. */
  claims?: Claims
}

/** The broadcasts of a bot. Lives with the supervisor. */
export class Broadcaster implements Broadcasts {
  readonly #options: BroadcasterOptions
  readonly #running = new Map<string, Running>()
  readonly #closing = new AbortController()

  constructor(options: BroadcasterOptions) {
    this.#options = options
  }

  /** Goes on with what a former process, or a machine that is gone, did not finish. Never rejects. */
  async resume(): Promise<void> {
    const { store, log } = this.#options
    try {
      for (const { key, value, version } of await store.list(PREFIX)) {
        const job = value as BroadcastJob
        const id = key.slice(PREFIX.length)
        if (job.ended || this.#closed || this.#running.has(id) || !(await this.#claim(key, job, version))) continue
        const total = job.channels.length
        log.info({ broadcast: id, done: job.at, total }, `broadcast ${id}: continues with ${job.at + 1} of ${total}`)
        this.#run(id, job)
      }
    } catch (error) {
      // Its store goes with the bot.
      if (this.#closed) return
      log.error({ error }, `unfinished broadcasts could not be read: ${(error as Error).message}`)
    }
  }

  async start(id: string, input: { channels: readonly string[]; message: MessageCreate }): Promise<BroadcastProgress> {
    const known = await this.#find(id)
    if (known) return known
    const channels = [...new Set(input.channels)]
    const job: BroadcastJob = { channels, message: input.message, at: 0, sending: false, sent: [], failed: [] }
    // Two that start it at once: the second finds what the first has written.
    if (!(await this.#note(PREFIX + id, job, 0))) return (await this.#find(id))!
    this.#run(id, job)
    return progressOf(job)
  }

  async next(id: string, done: number): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (!running) return this.#elsewhere(id, done)
    if (running.job.at <= done) await new Promise<void>((resolve) => running.waiting.push(resolve))
    return this.#find(id)
  }

  async cancel(id: string): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (running) {
      cancelNow(running)
      await running.ended
      return this.#find(id)
    }
    const known = await this.#find(id)
    const { clock, claims, store } = this.#options
    if (!claims || known?.state !== 'running') return known
    await store.set(CANCEL_PREFIX + id, true, { expiresAtMs: clock.now() + KEPT_MS })
    return this.#elsewhere(id, Infinity)
  }

  /** Whatever is sent here is sent by others from now on. */
  abandon(): void {
    for (const running of this.#running.values()) {
      running.abandoned = true
      running.giveUp.abort()
      wake(running.waiting)
    }
    this.#running.clear()
  }

  /** Starts no further message; what is not sent goes on at the next start. Resolves when the last one is decided, or given up by the client. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Waits for what another machine sends. */
  async #elsewhere(id: string, done: number): Promise<BroadcastProgress | undefined> {
    for (;;) {
      const progress = await this.#find(id)
      if (!this.#options.claims || this.#closed || progress?.state !== 'running' || progress.done > done)
        return progress
      await sleep(this.#options.clock, LOOK_MS)
    }
  }

  /** Writes down that this machine sends it. False: it is another's, or somebody was quicker. */
  async #claim(key: string, job: BroadcastJob, version: number): Promise<boolean> {
    const { claims } = this.#options
    if (!claims) return true
    return !(await claims.isActive(job.machine, key)) && this.#note(key, job, version)
  }

  async #note(key: string, job: BroadcastJob, expected: number): Promise<boolean> {
    const { claims, store } = this.#options
    if (!claims) return store.set(key, job, { expected })
    job.machine = claims.id
    claims.begin(key)
    const done = await store.set(key, job, { expected }).catch((error: unknown) => {
      claims.end(key)
      throw error
    })
    if (!done && !this.#running.has(key.slice(PREFIX.length))) claims.end(key)
    return done
  }

  async #find(id: string): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (running) return progressOf(running.job)
    const stored = await this.#options.store.get(PREFIX + id)
    return stored && progressOf(stored.value as BroadcastJob)
  }

  #run(id: string, job: BroadcastJob): void {
    const running: Running = {
      job,
      cancelled: false,
      abandoned: false,
      giveUp: new AbortController(),
      waiting: [],
      ended: Promise.resolve(),
    }
    this.#running.set(id, running)
    if (this.#options.claims) void this.#watchCancel(id, running)
    running.ended = this.#send(id, running)
      .catch((error: unknown) => {
        if (running.abandoned) return
        const message = error instanceof Error ? error.message : String(error)
        this.#options.log.error(
          { broadcast: id, error },
          `broadcast ${id}: stopped; it continues when the bot starts again: ${message}`,
        )
      })
      .finally(() => {
        if (running.abandoned) return
        this.#running.delete(id)
        this.#options.claims?.end(PREFIX + id)
        wake(running.waiting)
      })
  }

  /** Another machine may want it to end. */
  async #watchCancel(id: string, running: Running): Promise<void> {
    const { clock, store } = this.#options
    while (!running.abandoned && this.#running.get(id) === running) {
      try {
        if (await store.get(CANCEL_PREFIX + id)) return cancelNow(running)
      } catch {
        // It is looked at again; what is wrong with the store is told by the sending itself.
      }
      await sleep(clock, LOOK_MS)
    }
  }

  async #send(id: string, running: Running): Promise<void> {
    const { store, clock, log } = this.#options
    const { job } = running
    if (job.sending) {
      // It was on its way when the process died. Posting it again could post it twice (decisions row 32).
      job.sending = false
      decide(job, { reason: 'the process ended during the send: the message may have arrived' })
    }
    while (job.at < job.channels.length && !running.cancelled) {
      if (this.#closed || running.abandoned) return
      const step = await this.#step(id, running)
      if (step === 'given up' && !running.cancelled) return
      if (step !== 'again') wake(running.waiting)
    }
    if (running.abandoned) return
    job.ended = job.at < job.channels.length ? 'cancelled' : 'done'
    await store.set(PREFIX + id, job, { expiresAtMs: clock.now() + KEPT_MS })
    const { sent, failed } = job
    const first = failed[0] ? `; the first: ${failed[0].channel_id}: ${failed[0].reason}` : ''
    log[failed.length > 0 ? 'warn' : 'info'](
      { broadcast: id, sent: sent.length, failed: failed.length },
      `broadcast ${id}: ${job.ended}, ${sent.length} sent, ${failed.length} failed${first}`,
    )
  }

  /** One channel. Given up: before it was sent. */
  async #step(id: string, running: Running): Promise<'decided' | 'again' | 'given up'> {
    const { store, call, clock } = this.#options
    const { job } = running
    const { signal } = running.giveUp
    const channel_id = job.channels[job.at]!
    // Not before the message budget lets it pass: that may take minutes, in which a crash leaves nothing unknown.
    const leaving = async (): Promise<void> => {
      signal.throwIfAborted()
      job.sending = true
      await store.set(PREFIX + id, job)
    }
    // Nor while the service asks to wait, or is not there.
    const stayed = async (): Promise<void> => {
      job.sending = false
      await store.set(PREFIX + id, job)
    }
    let result: SendResult
    try {
      const message = await call(
        'messages.create',
        { ...job.message, channel_id },
        { priority: 'broadcast', leaving, stayed, signal },
      )
      result = { message_id: message.id }
    } catch (error) {
      if (running.abandoned) return 'given up'
      const code = codeOf(error)
      // The client was closed before it left, or is not let in: the same at the next start.
      if (code === 'ERR_ABORTED' || code === 'ERR_UNAUTHORIZED') {
        await stayed()
        return 'given up'
      }
      const { retryAfterSeconds } = error as { retryAfterSeconds?: number }
      if (code === 'ERR_NO_ANSWER' || (code === 'ERR_RATE_LIMITED' && retryAfterSeconds !== undefined)) {
        await stayed()
        await sleep(clock, RETRY_MS, AbortSignal.any([signal, this.#closing.signal])).catch(() => {})
        return 'again'
      }
      result = { reason: error instanceof Error ? error.message : String(error) }
    }
    if (running.abandoned) return 'given up'
    job.sending = false
    decide(job, result)
    await store.set(PREFIX + id, job)
    return 'decided'
  }
}

type SendResult = { message_id: string } | { reason: string }

function decide(job: BroadcastJob, result: SendResult): void {
  const channel_id = job.channels[job.at++]!
  if ('message_id' in result) job.sent.push({ channel_id, ...result })
  else job.failed.push({ channel_id, ...result })
}

/** Only while it waits for the message budget: what is under way arrives, and is counted. */
function cancelNow(running: Running): void {
  running.cancelled = true
  if (!running.job.sending) running.giveUp.abort()
}

function wake(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
