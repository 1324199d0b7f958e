import type { Delivery } from '@botwright/events'
import type { BotDispatcher, DispatcherOptions } from './dispatcher.ts'
import { HandlerRuns } from './dispatcher-runs.ts'
import { loadBot } from './load-bot.ts'
import type { Bot, BotSource, LoadedCode } from './ports.ts'

/**
 * Runs handlers in the thread that it was made in: for embedding, tests and the smallest bots.
 * A handler that blocks its thread blocks everything here, and replaced code stays in memory: workers know neither.
 */
export class InlineDispatcher implements BotDispatcher {
  readonly #options: DispatcherOptions
  readonly #runs: HandlerRuns
  #bot: Bot | undefined
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
    return this.#runs.run(this.#bot, delivery)
  }

  async replace(source: BotSource): Promise<LoadedCode> {
    const { config, ...shared } = this.#options
    const { answerBots, limits } = config
    const bot = await loadBot(source, { ...shared, answerBots, handlerSeconds: limits.handlerSeconds })
    this.#bot = bot
    return { definitions: bot.definitions, commands: bot.commands }
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
