import type { Delivery } from '@botwright/events/event'
import type { Config } from '../author/config/config.ts'
import type { Moment } from '../link/messages.ts'
import type { BotSource, LoadedCode } from '../link/ports.ts'
import type { Waiting } from './conversation/waiting.ts'
import { Disposal } from './dispose/disposal.ts'
import type { EventScope } from './event-scope.ts'
import { HandlerRuns } from './handler-runs.ts'
import type { Bot, BotHost } from './host.ts'
import { codeSettings, loadBot } from './load-bot.ts'

type Shared = Required<Pick<BotHost, 'call' | 'store' | 'outbox' | 'clock' | 'log' | 'me' | 'giveUp'>>

/** What one load of the bot's code gets from the thread that it runs in. */
export interface CodeHost extends Shared, Pick<BotHost, 'observe'> {
  config: Omit<Config, 'store'>
  waiting: Waiting
  /** Set where the bot is recorded. */
  scope: EventScope | undefined
  onSettled?: () => void
}

/** One load of the bot's code, with its running handlers: the same in a worker thread and inline. */
export class RunningCode {
  readonly runs: HandlerRuns
  readonly #bot: Bot
  readonly #host: CodeHost
  readonly #disposal: Disposal

  private constructor(bot: Bot, runs: HandlerRuns, disposal: Disposal, host: CodeHost) {
    this.#bot = bot
    this.runs = runs
    this.#disposal = disposal
    this.#host = host
  }

  /** Rejects when the code does not load; what it has registered with `onDispose` until then has run. */
  static async load(source: BotSource, host: CodeHost): Promise<RunningCode> {
    const { config, scope, onSettled, observe: report, ...shared } = host
    const disposal = new Disposal(source, host.log)
    const limitMs = config.limits.handlerSeconds * 1000
    const runs = new HandlerRuns({ ...shared, limitMs, ...(onSettled && { onSettled }), observe: report })
    const { observe } = runs
    try {
      const loaded = await loadBot(source, {
        ...shared,
        park: (id) => runs.park(id),
        ...codeSettings(config),
        callSites: scope !== undefined,
        ...(observe && { observe }),
      })
      return new RunningCode(scope ? scope.around(loaded) : loaded, runs, disposal, host)
    } catch (error) {
      await disposal.dispose()
      throw error
    }
  }

  get loaded(): LoadedCode {
    return { definitions: this.#bot.definitions, commands: this.#bot.commands }
  }

  run(delivery: Delivery): void | Promise<void> {
    const { scope } = this.#host
    return scope ? scope.run(delivery.id, () => this.runs.run(this.#bot, delivery)) : this.runs.run(this.#bot, delivery)
  }

  handlerOf(delivery: Delivery): string | undefined {
    return this.#bot.handlerOf(delivery)
  }

  apologize(...args: Parameters<Bot['apologize']>): Promise<void> {
    return this.#bot.apologize(...args)
  }

  /** Runs `events/ready.ts` or `events/shutdown.ts`. Never rejects. */
  async lifecycle(moment: Moment): Promise<void> {
    try {
      await this.#bot.lifecycle(moment)
    } catch (error) {
      this.#host.log.error({ error }, `events/${moment}.ts: failed`)
    }
  }

  /** Runs what its files have registered with `onDispose`. Never rejects. */
  dispose(onNext?: (at: string) => void): Promise<void> {
    return this.#disposal.dispose(onNext)
  }
}
