import type { Delivery } from '@botwright/events'
import type { Call } from '@botwright/rest'
import { Waiting } from './conversation/waiting.ts'
import type { BotDispatcher, DispatcherOptions } from './dispatcher.ts'
import { HandlerRuns } from './dispatcher-runs.ts'
import { loadBot } from './load-bot.ts'
import type { Bot, BotSource, LoadedCode } from './ports.ts'
import type { EventScope } from './record/event-scope.ts'
import { recordCall } from './record/record-call.ts'
import type { CallRecorder } from './record/recorder.ts'

/**
 * Runs handlers in the thread that it was made in: for embedding, tests and the smallest bots.
 * A handler that blocks its thread blocks everything here, and replaced code stays in memory: workers know neither.
 */
export class InlineDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  readonly #runs: HandlerRuns
  readonly #waiting = new Waiting()
  #bot: Bot | undefined
  #scope: EventScope | undefined
  #closing = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { clock, log, config } = options
    this.#runs = new HandlerRuns({ clock, log, limitMs: config.limits.handlerSeconds * 1000 })
  }

  get running(): number {
    return this.#runs.size
  }

  dispatch(delivery: Delivery): void | Promise<void> {
    if (this.#closing || !this.#bot) throw new Error('the dispatcher runs no handlers: it is closed, or has no code')
    const bot = this.#bot
    return this.#scope
      ? this.#scope.run(delivery.id, () => this.#runs.run(bot, delivery))
      : this.#runs.run(bot, delivery)
  }

  async replace(source: BotSource): Promise<LoadedCode> {
    const { config, recorder, ...shared } = this.#options
    const call = recorder ? await this.#recorded(recorder) : shared.call
    const { answerBots, env, help, limits, plugins, tracing } = config
    const bot = await loadBot(source, {
      ...shared,
      call,
      waiting: this.#waiting,
      park: (id) => this.#runs.park(id),
      answerBots,
      help,
      tracing,
      handlerSeconds: limits.handlerSeconds,
      ...(env && { env }),
      ...(plugins && { plugins }),
    })
    this.#bot = bot
    return { definitions: bot.definitions, commands: bot.commands }
  }

  async #recorded(recorder: CallRecorder): Promise<Call> {
    const { call, clock } = this.#options
    const scope = (this.#scope ??= new (await import('./record/event-scope.ts')).EventScope())
    return (name, input, options) =>
      recordCall(recorder, { eventId: scope.eventId, name, input }, call(name, input, options), clock)
  }

  async lifecycle(moment: 'ready' | 'shutdown'): Promise<void> {
    try {
      await this.#bot?.lifecycle(moment)
    } catch (error) {
      this.#options.log.error({ error }, `events/${moment}.ts: failed`)
    }
  }

  async close({ graceMs }: { graceMs: number }): Promise<{ unfinished: number }> {
    this.#closing = true
    return { unfinished: await this.#runs.drain(graceMs) }
  }
}
