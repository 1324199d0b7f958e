import type { Delivery } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import { stoppingError, drain, deadLetter, type BotDispatcher, type DispatcherOptions } from '../link/dispatcher.ts'
import { limitLifecycle } from '../link/lifecycle-limit.ts'
import type { Moment } from '../link/messages.ts'
import type { BotSource, LoadedCode } from '../link/ports.ts'
import { recordCall, type CallRecorder } from '../link/record-call.ts'
import { Waiting } from './conversation/waiting.ts'
import type { EventScope } from './event-scope.ts'
import type { Gate } from './gate.ts'
import { RunningCode } from './running-code.ts'

/**
 * Runs handlers in the thread that it was made in: for embedding, tests and the smallest bots.
 * A handler that blocks its thread blocks everything here, and replaced code stays in memory: workers know neither.
 */
export class InlineDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  #waiting: Waiting
  /** Of each handler that waits for a user its code, by the id of its event. */
  readonly #conversations = new Map<number, RunningCode>()
  /** What each code's handlers act by, where that may have to end. Replaced code stays until its handlers and conversations end. */
  readonly #codes = new Map<RunningCode, Gate | undefined>()
  #code: RunningCode | undefined
  #scope: EventScope | undefined
  #source: BotSource | undefined
  /** What was given up is replaced: what comes meanwhile waits for it. */
  #renewing: Promise<unknown> | undefined
  #closing = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#waiting = this.#newWaiting()
  }

  #newWaiting(): Waiting {
    return new Waiting({
      waits: (key, on) => this.#options.onWaits?.(key, on),
      talks: (id, on) => {
        const code = on ? [...this.#codes.keys()].find(({ runs }) => runs.has(id)) : undefined
        if (code) this.#conversations.set(id, code)
        else if (!on && this.#conversations.delete(id)) this.#endIdle()
      },
    })
  }

  get running(): number {
    let running = 0
    for (const { runs } of this.#codes.keys()) running += runs.size
    return running
  }

  dispatch(delivery: Delivery): void | Promise<void> {
    if (this.#closing || !this.#code)
      throw new Error('the dispatcher cannot run handlers: it is closed, or has no code')
    if (this.#renewing) return this.#renewing.then(() => this.dispatch(delivery))
    return this.#code.run(delivery)
  }

  async replace(source: BotSource): Promise<LoadedCode> {
    if (this.#closing) throw stoppingError()
    const { clock, log, me, config, observe, recorder, store, outbox, abandonable } = this.#options
    const gate = abandonable ? new (await import('./gate.ts')).Gate() : undefined
    const call = recorder ? await this.#recorded(recorder) : this.#options.call
    const code = await RunningCode.load(source, {
      ...(gate
        ? { call: gate.call(call), store: gate.store(store), outbox: gate.outbox(outbox) }
        : { call, store, outbox }),
      ...{ clock, log, me, config, waiting: this.#waiting, scope: this.#scope },
      giveUp: (event, reason, file) => deadLetter(this.#options, event, { reason, file }),
      onSettled: () => this.#endIdle(),
      ...(observe && { observe }),
    })
    if (this.#closing) {
      await code.dispose()
      throw stoppingError()
    }
    this.#codes.set(code, gate)
    this.#code = code
    this.#source = source
    this.#endIdle()
    return code.loaded
  }

  async #recorded(recorder: CallRecorder): Promise<Call> {
    const { call, clock } = this.#options
    const scope = (this.#scope ??= new (await import('./event-scope.ts')).EventScope())
    return (name, input, options) =>
      recordCall(recorder, { eventId: scope.eventId, name, input }, call(name, input, options), clock)
  }

  async abandon(): Promise<void> {
    for (const [code, gate] of this.#codes) {
      gate?.close()
      code.runs.abandon()
    }
    this.#conversations.clear()
    this.#waiting.close()
    this.#waiting = this.#newWaiting()
    this.#endIdle()
    if (!this.#source || this.#closing) return
    const renewing = this.replace(this.#source).finally(() => {
      if (this.#renewing === renewing) this.#renewing = undefined
    })
    this.#renewing = renewing
    await renewing
  }

  files(deliveries: readonly Delivery[]): Promise<readonly (string | undefined)[]> {
    return Promise.resolve(deliveries.map((delivery) => this.#code?.handlerOf(delivery)))
  }

  async lifecycle(moment: Moment): Promise<void> {
    if (this.#code) await limitLifecycle(this.#options, moment, this.#code.lifecycle(moment))
  }

  async close({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#closing = true
    this.#waiting.close()
    const unfinished = await drain(this.#options.clock, () => this.running, graceMs)
    for (const { runs } of this.#codes.keys()) runs.close()
    await Promise.all([...this.#codes.keys()].map((code) => code.dispose()))
    return { unfinished }
  }

  /** Ends replaced code of which nothing runs any more, and nothing waits for an answer. */
  #endIdle(): void {
    if (this.#codes.size < 2) return
    for (const code of this.#codes.keys()) {
      if (code === this.#code || code.runs.size > 0 || [...this.#conversations.values()].includes(code)) continue
      this.#codes.delete(code)
      void code.dispose()
    }
  }
}
