// Sends one message to many channels within the message budget, and continues after a restart.

import { setMaxListeners } from 'node:events'
import { onAbort, sleep, type Timer } from '@botwright/clock'
import { timerAt } from '@botwright/clock/timers'
import { lowerId } from '@botwright/protocol/facts'
import { codeOf } from '../../author/error-code.ts'
import type { BroadcastInput, BroadcastProgress, Known } from '../../author/sending/broadcast.ts'
import { RETENTION_MS } from '../../author/state/once.ts'
import { inTurn } from '../../author/state/turns.ts'
import { BROADCASTS, type BroadcastsHost, type OwnBroadcasts } from '../../runtime/ports/broadcasts.ts'
import { type BroadcastJob, progressOf } from './broadcast-job.ts'
import { decide, type Delay, delay, delayOf, dueInMs, nextDue, type SendResult } from './channel-order.ts'
import { readParams, storeParams } from './kept-params.ts'

/** Set by an instance that cancels a broadcast of another instance. */
const CANCEL_PREFIX = 'broadcast-cancel:'
/** The delay before a message is retried while the service is unreachable or asks to wait, or too many messages wait. */
const RETRY_MS = 5000
/** After this many channels in a row whose messages the service asks to delay, each further attempt waits `RETRY_MS`. */
const DELAYED_IN_ROW = 5
/** How often the state of other instances is polled. */
const POLL_MS = 500

interface Running {
  job: BroadcastJob
  cancelled: boolean
  /** Another instance continues it: this one sends and stores nothing more. */
  abandoned: boolean
  giveUp: AbortController
  /** When the channels that the service asked to wait for are tried again. */
  delayed: Map<string, Delay>
  delayedInRow: number
  /** Its last write has failed, which is logged. */
  notStored: boolean
  /** Resolvers of the callers that wait for the next step. */
  waiting: (() => void)[]
  ended: Promise<void>
}

/** The broadcasts of a bot. Runs in the supervisor, so that replaced code does not interrupt them. */
export class Broadcaster implements OwnBroadcasts {
  readonly #options: BroadcastsHost
  readonly #running = new Map<string, Running>()
  readonly #closing = new AbortController()
  /** Set while the unfinished broadcasts cannot be read. */
  #resuming: Timer | undefined

  constructor(options: BroadcastsHost) {
    this.#options = options
    // Any number of broadcasts may wait.
    setMaxListeners(0, this.#closing.signal)
  }

  async resume(stored = this.#options.store.list(BROADCASTS)): Promise<void> {
    const { clock, log } = this.#options
    try {
      const failed: Error[] = []
      for (const { key, value } of await stored)
        if (!(value as BroadcastJob | null)?.ended)
          await this.#reach(key.slice(BROADCASTS.length)).catch((e: Error) => void failed.push(e))
      if (failed[0]) throw failed[0]
      this.#resuming?.cancel()
      this.#resuming = undefined
    } catch (error) {
      // The store closes with the bot.
      if (this.#closed) return
      if (this.#resuming) this.#resuming.cancel()
      else log.error({ error }, `unfinished broadcasts could not be read: ${(error as Error).message}; trying again`)
      this.#resuming = clock.after(RETRY_MS, () => void this.resume())
    }
  }

  start(id: string, input: BroadcastInput): Promise<BroadcastProgress> {
    return inTurn(this, id, () => this.#start(id, input))
  }

  async #start(id: string, { channels, ...input }: BroadcastInput): Promise<BroadcastProgress> {
    await this.#continue(id)
    const known = await this.#find(id)
    if (known) return known
    const each = [...new Set(channels.map(lowerId))]
    const { clock, store } = this.#options
    const params = await readParams(store, input.message.components, clock.now())
    const begun = { at: 0, sending: false, sent: [], failed: [] }
    const job: BroadcastJob = { ...input, channels: each, ...begun, ...(params && { params }) }
    // If two calls start it at the same time, the second returns the progress of the first.
    if (!(await this.#save(BROADCASTS + id, job, 0))) return (await this.#find(id))!
    this.#run(id, job)
    return progressOf(job)
  }

  /** A broadcast that this instance sends. In turn: the row of one that is starting must not begin it a second time. */
  #reach(id: string, cancelled = false): Promise<Running | undefined> {
    return inTurn(this, id, () => this.#continue(id, cancelled))
  }

  /** Continues a stored broadcast that no instance sends: it is not resumed yet, or the write that began it failed. */
  async #continue(id: string, cancelled = false): Promise<Running | undefined> {
    const key = BROADCASTS + id
    const stored = this.#running.has(id) ? undefined : await this.#options.store.get(key)
    if (!stored || this.#closed || (stored.value as BroadcastJob).ended) return this.#running.get(id)
    const job = stored.value as BroadcastJob
    if (!(await this.#claim(key, job, stored.version)) || this.#closed) return undefined
    const total = job.channels.length
    const text = `broadcast ${id}: continues with ${job.at + 1} of ${total}`
    if (!cancelled) this.#options.log.info({ broadcast: id, done: job.at, total }, text)
    this.#run(id, job, cancelled)
    return this.#running.get(id)
  }

  async next(id: string, done: number, known?: Known): Promise<BroadcastProgress | undefined> {
    const next = await this.#next(id, done)
    return next && { ...next, sent: next.sent.slice(known?.sent), failed: next.failed.slice(known?.failed) }
  }

  async #next(id: string, done: number): Promise<BroadcastProgress | undefined> {
    const running = await this.#reach(id)
    if (!running) return this.#elsewhere(id, done)
    while (this.#running.get(id) === running && running.job.at <= done)
      await new Promise<void>((resolve) => running.waiting.push(resolve))
    return this.#find(id)
  }

  async cancel(id: string): Promise<BroadcastProgress | undefined> {
    const running = await this.#reach(id, true)
    if (running) {
      cancelNow(running)
      await running.ended
      return this.#find(id)
    }
    const known = await this.#find(id)
    const { clock, claims, store } = this.#options
    if (!claims || known?.state !== 'running') return known
    await store.set(CANCEL_PREFIX + id, true, { expiresAtMs: clock.now() + RETENTION_MS })
    return this.#elsewhere(id, Infinity)
  }

  abandon(): void {
    for (const running of this.#running.values()) {
      running.abandoned = true
      running.giveUp.abort()
      wake(running.waiting)
    }
    this.#running.clear()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#resuming?.cancel()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Waits for the progress of a broadcast that another instance sends. */
  async #elsewhere(id: string, done: number): Promise<BroadcastProgress | undefined> {
    for (;;) {
      const progress = await this.#find(id)
      if (!this.#options.claims || this.#closed || progress?.state !== 'running' || progress.done > done)
        return progress
      await sleep(this.#options.clock, POLL_MS)
    }
  }

  /** Claims it for this instance. False if another instance sends it or claimed it first. */
  async #claim(key: string, job: BroadcastJob, version: number): Promise<boolean> {
    const { claims } = this.#options
    if (!claims) return true
    return !(await claims.isActive(job.machine, key)) && this.#save(key, job, version)
  }

  async #save(key: string, job: BroadcastJob, expected: number): Promise<boolean> {
    const { claims, store } = this.#options
    if (!claims) return store.set(key, job, { expected })
    job.machine = claims.id
    claims.begin(key)
    const done = await store.set(key, job, { expected }).catch((error: unknown) => {
      claims.end(key)
      throw error
    })
    if (!done && !this.#running.has(key.slice(BROADCASTS.length))) claims.end(key)
    return done
  }

  async #find(id: string): Promise<BroadcastProgress | undefined> {
    const running = this.#running.get(id)
    if (running) return progressOf(running.job)
    const stored = await this.#options.store.get(BROADCASTS + id)
    return stored && progressOf(stored.value as BroadcastJob)
  }

  #run(id: string, job: BroadcastJob, cancelled = false): void {
    const running: Running = {
      job,
      cancelled,
      abandoned: false,
      giveUp: new AbortController(),
      delayed: new Map(),
      delayedInRow: 0,
      notStored: false,
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
        this.#options.claims?.end(BROADCASTS + id)
        wake(running.waiting)
      })
  }

  /** Cancels it when another instance requests that. */
  async #watchCancel(id: string, running: Running): Promise<void> {
    const { clock, store } = this.#options
    while (!running.abandoned && this.#running.get(id) === running) {
      try {
        if (await store.get(CANCEL_PREFIX + id)) return cancelNow(running)
      } catch {
        // Polled again; `#send` reports errors of the store.
      }
      await sleep(clock, POLL_MS)
    }
  }

  async #send(id: string, running: Running): Promise<void> {
    const { clock, log } = this.#options
    const { job } = running
    if (job.sending) {
      // The request was in flight when the process died. Posting it again could post it twice (decisions row 32).
      job.sending = false
      decide(job, { reason: 'the process ended during the send: the message may have arrived' })
    }
    while (job.at < job.channels.length && !running.cancelled) {
      if (this.#closed || running.abandoned) return
      if (!nextDue(running, clock)) {
        await this.#pause(running, dueInMs(running, clock))
        continue
      }
      const step = await this.#step(id, running)
      if (step === 'given up' && !running.cancelled) return
      if (step !== 'again') wake(running.waiting)
    }
    if (running.abandoned) return
    job.ended = job.at < job.channels.length ? 'cancelled' : 'done'
    await this.#store(id, running, job.isNamed ? {} : { expiresAtMs: clock.now() + RETENTION_MS })
    const { sent, failed } = job
    const first = failed[0] ? `; the first: ${failed[0].channel_id}: ${failed[0].reason}` : ''
    log[failed.length > 0 ? 'warn' : 'info'](
      { broadcast: id, sent: sent.length, failed: failed.length },
      `broadcast ${id}: ${job.ended}, ${sent.length} sent, ${failed.length} failed${first}`,
    )
  }

  /** Sends to one channel. `given up`: stopped before the request was sent. */
  async #step(id: string, running: Running): Promise<'decided' | 'again' | 'given up'> {
    const { store, call, clock } = this.#options
    const { job } = running
    const { signal } = running.giveUp
    const channel_id = job.channels[job.at]!
    let notMarked = false
    // Marked as sending only when the message budget lets the request pass: a crash during the wait then leaves no doubt.
    const leaving = async (): Promise<void> => {
      signal.throwIfAborted()
      job.sending = true
      try {
        await storeParams(store, job.params, clock.now())
        await store.set(BROADCASTS + id, job)
      } catch (error) {
        // The request is not sent: the channel is still to come.
        job.sending = false
        notMarked = true
        this.#warnNotStored(id, running, error)
        throw error
      }
    }
    // The mark is removed while the service asks to wait or is unreachable.
    const stayed = async (): Promise<void> => {
      job.sending = false
      if (running.cancelled) running.giveUp.abort()
      await this.#store(id, running)
    }
    let result: SendResult
    try {
      const message = await call(
        'messages.create',
        { ...job.message, channel_id },
        { priority: 'broadcast', refusesHold: true, leaving, stayed, signal },
      )
      result = { message_id: message.id }
    } catch (error) {
      if (running.abandoned) return 'given up'
      if (notMarked) return this.#pause(running)
      const code = codeOf(error)
      // The client was closed before it sent the request, or the token was rejected: retried after the next start.
      if (code === 'ERR_ABORTED' || code === 'ERR_UNAUTHORIZED') {
        await stayed()
        return 'given up'
      }
      const { retryAfterSeconds, status } = error as { retryAfterSeconds?: number; status?: number }
      if (code === 'ERR_NO_ANSWER' || code === 'ERR_QUEUE_FULL') {
        await stayed()
        return this.#pause(running)
      }
      if (code === 'ERR_RATE_LIMITED' && retryAfterSeconds !== undefined) {
        running.delayed.set(channel_id, delayOf(clock, retryAfterSeconds * 1000))
        delay(running)
        await stayed()
        // It may be a limit of the bot instead of one of the channel, unless no request was sent.
        return status !== 0 && ++running.delayedInRow > DELAYED_IN_ROW ? this.#pause(running) : 'again'
      }
      result = { reason: error instanceof Error ? error.message : String(error) }
    }
    if (running.abandoned) return 'given up'
    job.sending = false
    running.delayed.delete(channel_id)
    running.delayedInRow = 0
    decide(job, result)
    await this.#store(id, running)
    return 'decided'
  }

  async #pause({ giveUp }: Running, ms = RETRY_MS): Promise<'again'> {
    const { clock } = this.#options
    await new Promise<void>((end) => {
      const timer = timerAt(clock, clock.now() + ms, () => (forget(), end()))
      const forget = onAbort([giveUp.signal, this.#closing.signal], () => (timer.cancel(), end()))
    })
    return 'again'
  }

  /** Stores the progress before anything else happens. Tries again until it is stored; rejects once the bot stops. */
  async #store(id: string, running: Running, options?: { expiresAtMs?: number }): Promise<void> {
    const { store, clock } = this.#options
    for (;;) {
      try {
        await store.set(BROADCASTS + id, running.job, options)
        running.notStored = false
        return
      } catch (error) {
        if (this.#closed || running.abandoned) throw error
        this.#warnNotStored(id, running, error)
        await sleep(clock, RETRY_MS, this.#closing.signal).catch(() => {})
        // Another instance may have sent more meanwhile.
        if (running.abandoned) throw error
      }
    }
  }

  #warnNotStored(id: string, running: Running, error: unknown): void {
    if (running.notStored) return
    running.notStored = true
    const text = `broadcast ${id}: its progress cannot be stored: ${(error as Error).message}; it waits until it can`
    this.#options.log.warn({ broadcast: id, error }, text)
  }
}

/** Aborts the current message only while it waits for the message budget: a request in flight completes and counts. */
function cancelNow(running: Running): void {
  running.cancelled = true
  if (!running.job.sending) running.giveUp.abort()
}

function wake(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
