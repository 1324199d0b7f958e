import type { Timer } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import { Waiting } from './conversation/waiting.ts'
import type { Gate } from './gate.ts'
import { bringsTooLate, giveUp, type BotDispatcher, type DispatcherOptions } from '../link/dispatcher.ts'
import { HandlerRuns } from './handler-runs.ts'
import { Disposal } from './dispose/disposal.ts'
import { tellLateLifecycle } from '../link/late-lifecycle.ts'
import { codeSettings, loadBot } from './load-bot.ts'
import type { Bot } from './host.ts'
import type { BotSource, LoadedCode } from '../link/ports.ts'
import type { EventScope } from './event-scope.ts'
import { recordCall } from '../link/record-call.ts'
import type { CallRecorder } from '../link/record-call.ts'

/** The bot's code, and what it wants to be undone when it ends. */
interface Loaded {
  bot: Bot
  disposal: Disposal
  /** What its handlers act by, where that may have to end. */
  gate: Gate | undefined
}

/**
 * Runs handlers in the thread that it was made in: for embedding, tests and the smallest bots.
 * A handler that blocks its thread blocks everything here, and replaced code stays in memory: workers know neither.
 */
export class InlineDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  readonly #runs: HandlerRuns
  #waiting: Waiting
  /** Of each handler that talks with somebody its code, by the id of its event. */
  readonly #talks = new Map<number, Bot>()
  /** Code that was replaced, and whose handlers or conversations go on. */
  readonly #old = new Set<Loaded>()
  #code: Loaded | undefined
  #scope: EventScope | undefined
  #source: BotSource | undefined
  /** What was given up is replaced: what comes meanwhile waits for it. */
  #renewing: Promise<unknown> | undefined
  #closing = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { clock, log, config } = options
    const limitMs = config.limits.handlerSeconds * 1000
    const { observe } = options
    this.#runs = new HandlerRuns({ clock, log, limitMs, onSettled: () => this.#endIdle(), observe })
    this.#waiting = this.#newWaiting()
  }

  #newWaiting(): Waiting {
    return new Waiting({
      waits: (key, on) => this.#options.onWaits?.(key, on),
      talks: (id, on) => {
        const bot = on ? this.#runs.botOf(id) : undefined
        if (bot) this.#talks.set(id, bot)
        else if (!on && this.#talks.delete(id)) this.#endIdle()
      },
    })
  }

  get running(): number {
    return this.#runs.size
  }

  dispatch(delivery: Delivery): void | Promise<void> {
    if (this.#closing || !this.#code)
      throw new Error('the dispatcher cannot run handlers: it is closed, or has no code')
    if (this.#renewing) return this.#renewing.then(() => this.dispatch(delivery))
    const { bot } = this.#code
    return this.#scope
      ? this.#scope.run(delivery.id, () => this.#runs.run(bot, delivery))
      : this.#runs.run(bot, delivery)
  }

  async replace(source: BotSource): Promise<LoadedCode> {
    if (this.#closing) throw bringsTooLate()
    const { config, recorder, abandonable, observe: _, ...shared } = this.#options
    const { observe } = this.#runs
    const gate = abandonable ? new (await import('./gate.ts')).Gate() : undefined
    const known = recorder ? await this.#recorded(recorder) : shared.call
    const { call, store, outbox } = gate
      ? { call: gate.call(known), store: gate.store(shared.store), outbox: gate.outbox(shared.outbox) }
      : { ...shared, call: known }
    const disposal = new Disposal(source, shared.log)
    const loading = loadBot(source, {
      ...shared,
      call,
      store,
      outbox,
      waiting: this.#waiting,
      park: (id) => this.#runs.park(id),
      giveUp: (event, reason, file) => giveUp(this.#options, event, { reason, file }),
      ...(observe && { observe }),
      ...codeSettings(config),
      callSites: recorder !== undefined,
    })
    // What came to nothing may have begun something all the same.
    const loaded = await loading.catch(async (error: unknown) => {
      await disposal.dispose()
      throw error
    })
    const bot = this.#scope ? this.#scope.around(loaded) : loaded
    if (this.#closing) {
      await disposal.dispose()
      throw bringsTooLate()
    }
    if (this.#code) this.#old.add(this.#code)
    this.#code = { bot, disposal, gate }
    this.#source = source
    this.#endIdle()
    return { definitions: bot.definitions, commands: bot.commands }
  }

  async #recorded(recorder: CallRecorder): Promise<Call> {
    const { call, clock } = this.#options
    const scope = (this.#scope ??= new (await import('./event-scope.ts')).EventScope())
    return (name, input, options) =>
      recordCall(recorder, { eventId: scope.eventId, name, input }, call(name, input, options), clock)
  }

  async abandon(): Promise<void> {
    const all = [...this.#old, ...(this.#code ? [this.#code] : [])]
    for (const { gate } of all) gate?.close()
    this.#runs.abandon()
    this.#talks.clear()
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
    return Promise.resolve(deliveries.map((delivery) => this.#code?.bot.handlerOf(delivery)))
  }

  async lifecycle(moment: 'ready' | 'shutdown'): Promise<void> {
    const { clock, config, log } = this.#options
    const limitMs = config.limits.handlerSeconds * 1000
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => {
      const tell = () => (tellLateLifecycle(log, moment, limitMs), resolve())
      timer = clock.after(limitMs, tell, { keepAlive: true })
    })
    try {
      await Promise.race([this.#code?.bot.lifecycle(moment), late])
    } catch (error) {
      log.error({ error }, `events/${moment}.ts: failed`)
    } finally {
      timer?.cancel()
    }
  }

  async close({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#closing = true
    this.#waiting.close()
    const unfinished = await this.#runs.drain(graceMs)
    const all = [...this.#old, ...(this.#code ? [this.#code] : [])]
    await Promise.all(all.map(({ disposal }) => disposal.dispose()))
    return { unfinished }
  }

  /** Ends replaced code of which nothing runs any more, and nothing waits for an answer. */
  #endIdle(): void {
    for (const code of this.#old) {
      if (this.#runs.isRunning(code.bot) || [...this.#talks.values()].includes(code.bot)) continue
      this.#old.delete(code)
      void code.disposal.dispose()
    }
  }
}
