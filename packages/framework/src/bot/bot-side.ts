import { getHeapStatistics } from 'node:v8'
import { inspect } from 'node:util'
import { type Clock, systemClock, type Timer } from '@botwright/clock'
import { OwnClock } from '@botwright/clock/timers'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { Log, LogLevel } from '../author/ports.ts'
import { toLoggedError } from '../link/errors/plain-error.ts'
import { Link, type LinkOptions } from '../link/link.ts'
import type { BotPort, LoadRequest, Moment, RuntimePort } from '../link/messages.ts'
import type { LoadedCode, Outcome, RunEnd } from '../link/ports.ts'
import type { StepReports } from '../link/recorded-step.ts'
import { commandCountWarning } from './commands/registered.ts'
import { Waiting } from './conversation/waiting.ts'
import { Disposal } from './dispose/disposal.ts'
import { HandlerRuns } from './handler-runs.ts'
import type { Bot } from './host.ts'
import { linkedServices } from './linked-services.ts'
import type { Layer } from './layer.ts'
import { codeSettings, type LayeredHost, loadLayered } from './load/load-layered.ts'
import { openLayers } from './load/open-layers.ts'
import { watchUnawaited } from './unawaited.ts'

export interface BotSideOptions extends Pick<LinkOptions<BotPort>, 'post' | 'sameThread'> {
  clock: Clock
  /** Receives the failures of `onDispose` functions, which may run after the link is closed. Default: the link's. */
  disposalLog?: Log
  /** Moves a clock that can be moved. Returns the time until its next timer. */
  moveClock?: (aheadMs: number) => number | undefined
  /** Called with an event before its handler starts, and with the id 0 when the handler returns. */
  onTurn?: (event: Pick<BotEvent, 'id' | 'era'>) => void
}

/** The loaded code, with its running handlers. */
interface RunningCode {
  bot: Bot
  runs: HandlerRuns
  disposal: Disposal
}

const noEvent = { id: 0 }

/** The modules that are not loaded at once load after this time: not while the bot is starting. */
const LOAD_REST_AFTER_MS = 300

/** The bot's end of the link: loads the bot's code once, and runs its handlers in this thread. */
export class BotSide {
  readonly link: Link<BotPort, RuntimePort>
  readonly log: Log
  /** The bot that was loaded, or is loading. */
  source: Pick<LoadRequest['source'], 'modules' | 'root'> = { modules: {}, root: '' }
  readonly #clock: Clock
  readonly #own: OwnClock | undefined
  readonly #onTurn: BotSideOptions['onTurn']
  readonly #moveClock: BotSideOptions['moveClock']
  readonly #disposalLog: Log
  readonly #waiting: Waiting
  readonly #sameThread: boolean
  #code: RunningCode | undefined
  #restTimer: Timer | undefined
  #endWatch: (() => void) | undefined
  /** The features around the bot's code. */
  #layer: Layer = {}

  constructor({ clock, moveClock, onTurn, disposalLog, ...options }: BotSideOptions) {
    this.#sameThread = options.sameThread === true
    if (this.#sameThread) this.#own = new OwnClock(clock)
    this.#clock = this.#own ?? clock
    this.#moveClock = moveClock
    this.#onTurn = onTurn
    this.link = new Link({ ...options, local: this.#port(), onFlush: () => this.#layer.flush?.() })
    const { reports } = this.link.notify
    this.#waiting = new Waiting({
      waits: (key, on) => reports.waits(key, on),
      talks: (id, on) => reports.conversation(id, on),
      due: (run, file) => reports.due(run, file),
    })
    this.log = linkedLog(this.link)
    this.#disposalLog = disposalLog ?? this.log
    if (this.#sameThread) this.#endWatch = watchUnawaited(this)
  }

  /** Sends everything that waits for the end of this turn, for a thread that exits before that. */
  flush(): void {
    this.link.flush()
  }

  /** Nothing that its handlers do has an effect after this; conversations stay where they are. */
  close(reason: Error): void {
    this.#endWatch?.()
    this.#waiting.close()
    this.#code?.runs.close()
    this.#own?.close()
    this.link.close(reason)
  }

  /** Runs the `onDispose` functions of its code, also after it is closed. */
  async dispose(): Promise<void> {
    this.#restTimer?.cancel()
    await this.#code?.disposal.dispose(this.#begins)
  }

  #port(): BotPort {
    return {
      bot: {
        load: (request) => this.#load(request),
        run: (delivery) => this.run(delivery),
        files: (deliveries) => deliveries.map((delivery) => this.#code?.bot.handlerOf(delivery)),
        apologize: (delivery, why) => void this.#code?.bot.apologize(delivery, why),
        lifecycle: (moment) => this.#lifecycle(moment),
        replaced: (key) => this.#waiting.replaced(key),
        dispose: () => this.dispose(),
        ping: () => getHeapStatistics().used_heap_size,
        moveClock: (aheadMs) => this.#moveClock?.(aheadMs),
      },
    }
  }

  /** Rejects when the code does not load, after what it registered with `onDispose` until then has run. */
  async #load({ source, me, config, record, callSites, observed }: LoadRequest): Promise<LoadedCode> {
    this.source = source
    const { reports } = this.link.notify
    const report = (outcome: Outcome) => {
      // In a thread of its own, they are sent in the same message.
      if (this.#sameThread) this.#layer.flush?.()
      reports.outcome(outcome)
    }
    const disposal = new Disposal(source, this.#disposalLog)
    const runs = new HandlerRuns({
      clock: this.#clock,
      log: this.log,
      limitMs: config.limits.handlerSeconds * 1000,
      ...(observed && { observe: report }),
    })
    const { observe } = runs
    try {
      const settings = codeSettings(config)
      const steps = record ? this.#stepReports() : undefined
      const layer = (this.#layer = await openLayers(source, { ...settings, disposal }, steps))
      const host: LayeredHost = {
        ...linkedServices(this.link),
        ...settings,
        clock: this.#clock,
        log: this.log,
        me,
        waiting: this.#waiting,
        park: (id) => runs.park(id),
        sendNow: () => this.link.flush(),
        gathers: (id, file) => reports.gathers(id, file),
        giveUp: (event, reason, file) => reports.deadLetter(event, reason, file),
        callSites,
        ...(observe && { observe }),
      }
      const bot = await loadLayered(source, host, layer)
      await bot.open?.(disposal, { next: this.#begins })
      this.#code = { bot, runs, disposal }
      // A test uses few modules of many, and its clock does not wait for them: there they load when they are used.
      if (!this.#sameThread) this.#restTimer = systemClock.after(LOAD_REST_AFTER_MS, () => void bot.loadRest?.())
      const commands = bot.commands()
      const warning = commandCountWarning(commands)
      if (warning !== undefined) this.log.warn({ commands: commands.length }, warning)
      return { definitions: bot.definitions, commands }
    } catch (error) {
      await disposal.dispose()
      throw error
    }
  }

  #stepReports(): StepReports {
    const { reports } = this.link.notify
    return {
      send: (message) => reports.steps(message),
      sendSoon: () => this.link.flushSoon(),
      continues: (event, startedMs) => reports.continued(event, startedMs),
    }
  }

  /** Runs the handler of a delivery. Never rejects. */
  run(delivery: Delivery): void | Promise<RunEnd | void> {
    const { bot, runs } = this.#code!
    this.#onTurn?.(delivery.event)
    const running = runs.run(bot, delivery)
    this.#onTurn?.(noEvent)
    return running
  }

  /** Runs `events/ready.ts` or `events/shutdown.ts`. Never rejects. */
  async #lifecycle(moment: Moment): Promise<void> {
    try {
      await this.#code?.bot.lifecycle(moment)
    } catch (error) {
      this.log.error({ error }, `events/${moment}.ts: failed`)
    }
  }

  /** Leaves at once: the function may block the thread, and its line is then known. */
  readonly #begins = (at: string, what: string): void => {
    this.link.notify.reports.begins(at, what)
    this.link.flush()
  }
}

/** Each line leaves at once: the handler may block its thread from here on. */
function linkedLog(link: Link<BotPort, RuntimePort>): Log {
  const { reports } = link.notify
  const logAt =
    (level: LogLevel) =>
    (facts: object, message: string): void => {
      const plain = Object.fromEntries(
        Object.entries(facts).map(([key, value]) => [
          key,
          value instanceof Error ? toLoggedError(value) : (value as unknown),
        ]),
      )
      try {
        reports.log(level, plain, message)
        link.flush()
      } catch {
        // Facts that cannot be cloned are logged as text.
        reports.log(level, { facts: inspect(plain, { breakLength: Infinity }) }, message)
        link.flush()
      }
    }
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}
