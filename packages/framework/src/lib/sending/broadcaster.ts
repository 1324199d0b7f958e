// Sends one message to many channels, at the pace that the message budget leaves, over restarts.

import type { Clock } from '@botwright/clock'
import type { MessageCreate } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { codeOf } from '../error-code.ts'
import type { Log, StateStore } from '../ports.ts'
import { type BroadcastJob, type BroadcastProgress, type Broadcasts, progressOf } from './broadcast-job.ts'

/** A broadcast that is over can be asked about for so long. */
const KEPT_MS = 2 * 24 * 60 * 60 * 1000
const PREFIX = 'broadcast:'

interface Running {
  job: BroadcastJob
  cancelled: boolean
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
}

/** The broadcasts of a bot. Lives with the supervisor. */
export class Broadcaster implements Broadcasts {
  readonly #options: BroadcasterOptions
  readonly #running = new Map<string, Running>()
  #closing = false

  constructor(options: BroadcasterOptions) {
    this.#options = options
  }

  /** Goes on with what a former process did not finish. Never rejects. */
  async resume(): Promise<void> {
    const { store, log } = this.#options
    try {
      for (const { key, value } of await store.list(PREFIX)) {
        const job = value as BroadcastJob
        const id = key.slice(PREFIX.length)
        if (job.ended || this.#running.has(id)) continue
        const total = job.channels.length
        log.info({ broadcast: id, done: job.at, total }, `broadcast ${id}: goes on with ${job.at + 1} of ${total}`)
        this.#run(id, job)
      }
    } catch (error) {
      log.error({ error }, `broadcasts that were not finished could not be read: ${(error as Error).message}`)
    }
  }

  async start(id: string, input: { channels: readonly string[]; message: MessageCreate }): Promise<BroadcastProgress> {
    const known = await this.#find(id)
    if (known) return known
    const channels = [...new Set(input.channels)]
    const job: BroadcastJob = { channels, message: input.message, at: 0, sending: false, sent: [], failed: [] }
    // Two that start it at once: the second finds what the first has written.
    if (!(await this.#options.store.set(PREFIX + id, job, { expected: 0 }))) return (await this.#find(id))!
    this.#run(id, job)
    return progressOf(job)
  }

  async next(id: string, done: number): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (running && running.job.at <= done) await new Promise<void>((resolve) => running.waiting.push(resolve))
    return this.#find(id)
  }

  async cancel(id: string): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (running) {
      running.cancelled = true
      // Only while it waits for the message budget: what is under way arrives, and is counted.
      if (!running.job.sending) running.giveUp.abort()
      await running.ended
    }
    return this.#find(id)
  }

  /** Starts no further message; what is not sent goes on at the next start. Resolves when the last one is decided, or given up by the client. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
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
      giveUp: new AbortController(),
      waiting: [],
      ended: Promise.resolve(),
    }
    this.#running.set(id, running)
    running.ended = this.#send(id, running)
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        this.#options.log.error(
          { broadcast: id, error },
          `broadcast ${id}: stopped, and goes on at the next start: ${message}`,
        )
      })
      .finally(() => {
        this.#running.delete(id)
        wake(running.waiting)
      })
  }

  async #send(id: string, running: Running): Promise<void> {
    const { store, clock, log } = this.#options
    const { job } = running
    if (job.sending) {
      // It was on its way when the process died. Posting it again could post it twice (decisions row 32).
      job.sending = false
      decide(job, { reason: 'the process ended while it was sent: it may have arrived' })
    }
    while (job.at < job.channels.length && !running.cancelled) {
      if (this.#closing) return
      if (!(await this.#step(id, running)) && !running.cancelled) return
      wake(running.waiting)
    }
    job.ended = job.at < job.channels.length ? 'cancelled' : 'done'
    await store.set(PREFIX + id, job, { expiresAtMs: clock.now() + KEPT_MS })
    const { sent, failed } = job
    const first = failed[0] ? `; the first: ${failed[0].channel_id}: ${failed[0].reason}` : ''
    log[failed.length > 0 ? 'warn' : 'info'](
      { broadcast: id, sent: sent.length, failed: failed.length },
      `broadcast ${id}: ${job.ended}, ${sent.length} sent, ${failed.length} failed${first}`,
    )
  }

  /** One channel. False: it was given up before it was sent. */
  async #step(id: string, { job, giveUp: { signal } }: Running): Promise<boolean> {
    const { store, call } = this.#options
    const channel_id = job.channels[job.at]!
    // Not before the message budget lets it pass: that may take minutes, in which a crash leaves nothing unknown.
    const leaving = async (): Promise<void> => {
      job.sending = true
      await store.set(PREFIX + id, job)
    }
    let verdict: Verdict
    try {
      const message = await call(
        'messages.create',
        { ...job.message, channel_id },
        { priority: 'broadcast', leaving, signal },
      )
      verdict = { message_id: message.id }
    } catch (error) {
      const code = codeOf(error)
      // The client was closed before it left, or is not let in: the same at the next start.
      if (code === 'ERR_ABORTED' || code === 'ERR_UNAUTHORIZED') {
        job.sending = false
        await store.set(PREFIX + id, job)
        return false
      }
      verdict = { reason: error instanceof Error ? error.message : String(error) }
    }
    job.sending = false
    decide(job, verdict)
    await store.set(PREFIX + id, job)
    return true
  }
}

type Verdict = { message_id: string } | { reason: string }

function decide(job: BroadcastJob, verdict: Verdict): void {
  const channel_id = job.channels[job.at++]!
  if ('message_id' in verdict) job.sent.push({ channel_id, ...verdict })
  else job.failed.push({ channel_id, ...verdict })
}

function wake(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
