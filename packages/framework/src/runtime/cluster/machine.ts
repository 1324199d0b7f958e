import { existsSync } from 'node:fs'
import type { BotEvent, Report } from '@botwright/events'
import type { Clock } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import { ofMachine } from '../../link/conversation/kept.ts'
import { hasCode } from '../../author/error-code.ts'
import type { Engine, Footing } from '../instance/footing.ts'
import { folderOfState, stateFile } from '../instance/kept.ts'
import { lockMachine } from '../instance/lock.ts'
import type { BotParts } from '../instance/parts.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import { WatchedStore } from '../state/watched-store.ts'
import { LateLimits } from './late-limits.ts'
import { MachineClaims } from './machine-claims.ts'
import { MachineEngine } from './machine-engine.ts'
import type { MachineSide } from './machine-side.ts'
import type { Cluster, Machine } from '../ports/cluster.ts'

/** A request may be under way for so long; a slot of the budget that its machine took with it is free after that. */
const TIMEOUT_MS = 15_000
/** Deaths of machines during one event until it is set aside. */
const HANDLER_ATTEMPTS = 3

/** One of many machines: what a single one keeps on its disk is kept by all of them together. */
export class MachineFooting implements Footing, MachineSide {
  readonly alone = false
  readonly client = { limitStore: new LateLimits(() => this.#machine?.limits), timeoutMs: TIMEOUT_MS }
  readonly claims = new MachineClaims(() => this.machine)
  readonly dispatching = {
    abandonable: true,
    replayCommand: 'framework cluster replay',
    onWaits: (key: string, on: boolean) => this.machine.waits(key, on),
  }
  /** Calls that the fence did not let out. */
  fenced = 0
  readonly #options: StartBotOptions
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly #report: Report
  #machine: Machine | undefined
  #store: WatchedStore | undefined

  constructor(options: StartBotOptions, cluster: Cluster, { clock, report }: { clock: Clock; report: Report }) {
    this.#options = options
    this.#cluster = cluster
    this.#clock = clock
    this.#report = report
    if (options.config.store)
      throw new BotwrightError(
        'ERR_CONFIG',
        'bot.config.ts: store cannot be set in a cluster, whose instances share one store; remove store, or run without a cluster',
      )
  }

  get machine(): Machine {
    return this.#machine!
  }

  async open(me: BotProfile, held: (() => void | Promise<void>)[]): Promise<void> {
    const { baseUrl, config, lockFolder, log, version = 'unknown' } = this.#options
    const { id: botId, username } = me
    if (lockFolder !== false) {
      const lock = lockMachine({ baseUrl, botId, username, ...(lockFolder !== undefined && { folder: lockFolder }) })
      held.unshift(() => lock.release())
    }
    this.#warnOfLeftBehind()
    const machine = await this.#cluster.join({
      baseUrl,
      botId,
      version,
      clock: this.#clock,
      log,
      report: this.#report,
      ...(config.messageBudget && { messageBudget: config.messageBudget }),
      timeoutMs: TIMEOUT_MS,
      handlerAttempts: HANDLER_ATTEMPTS,
    })
    this.#machine = machine
    held.push(() => machine.close())
    const store = (this.#store = new WatchedStore(machine.store))
    store.stamp = (key, value) => ofMachine(key, value, machine.id)
    log.info({ machine: machine.id }, `this instance is ${machine.id} of the cluster`)
  }

  /** What a single machine has kept in its folder stays there. */
  #warnOfLeftBehind(): void {
    const { source, stateDir, log } = this.#options
    const folder = folderOfState(source, stateDir)
    const files = ['state.db', 'journal.db'].map((name) => stateFile(folder, name)).filter((file) => existsSync(file))
    if (files.length > 0)
      log.warn(
        { files },
        `this bot has run without a cluster before: the cluster does not use the data in ${files.join(' and ')}. To stop this warning, remove that data or pass another folder with --state`,
      )
  }

  get store(): WatchedStore {
    return this.#store!
  }

  setAside(event: BotEvent, reason: string): void {
    void this.machine.setAside(event, reason).catch((error: unknown) => {
      const message = `event ${event.id} could not be set aside: ${(error as Error).message}`
      this.#options.log.error({ error, eventId: event.id }, message)
    })
  }

  /** What leaves in a handler's name passes the fence as late as possible, and what answers a click is noted before and after. */
  callOf(call: Call): Call {
    // Known before the machine is: it joins when the bot is known.
    const fence = async (before?: CallOptions['leaving']): Promise<void> => {
      await before?.()
      try {
        // Last: what is awaited before it may take as long as this machine is frozen.
        await this.machine.fence()
      } catch (error) {
        if (hasCode(error, 'ERR_FENCED')) this.fenced++
        throw error
      }
    }
    const fenced = async (name: string, input: unknown, options: CallOptions = {}): Promise<unknown> => {
      const out = call as unknown as typeof fenced
      if (name !== 'interactions.callback')
        return out(name, input, { ...options, leaving: () => fence(options.leaving) })
      const { interaction_id } = input as { interaction_id: string }
      // Whether a note arrives changes nothing for the handler: an ack too many harms nobody.
      const note = (answered: boolean) => this.machine.answering(interaction_id, answered).catch(() => {})
      const leaving = () =>
        fence(async () => {
          await note(false)
          await options.leaving?.()
        })
      const answer = await out(name, input, { ...options, leaving })
      void note(true)
      return answer
    }
    return fenced as unknown as Call
  }

  engine(parts: BotParts): Engine {
    return new MachineEngine(parts, this)
  }
}
