import { createHash } from 'node:crypto'
import { type Clock, sleep, within } from '@botwright/clock'
import type { Config } from '../../../author/config/config.ts'
import type { Log } from '../../../author/ports.ts'
import { RunStore } from '../../durable/stored/run-store.ts'
import type { BotProblems } from '../../problems/bot-problems.ts'
import type { HealthWatch } from '../../problems/health-facts.ts'
import { readinessOf } from '../readiness.ts'
import { type ObservedBot, READ_MS } from '../../../runtime/ports/bot-facts.ts'
import { heldViews } from '../../quiet-hours/held-view.ts'
import { countSetAside } from '../../routes/set-aside-requests.ts'
import { ownVersion } from '../../../runtime/own-package.ts'
import { SwitchError, switchOff, switchOn, type SwitchView, switchView } from '../../switches/change.ts'
import { findName } from '../../switches/find-name.ts'
import { readOff } from '../../switches/switch-store.ts'
import {
  budgetOf,
  clusterOf,
  type ControlState,
  deadLettersOf,
  eventsOf,
  runsOf,
  switchesOf,
  type Versions,
} from './control-state.ts'

export interface ControlRoomOptions {
  config: Config
  /** The version of the bot's package. */
  version: string
  clock: Clock
  log: Log
  watch: HealthWatch
  problems: BotProblems
  /** Removes secrets from the messages of errors. */
  clean: (text: string) => string
}

/** After the token was refused, the reason can be read for this long before the process ends. */
const LINGER_MS = 10_000
/** Held messages are listed for so many channels. */
const MOST_HELD = 20
/** In a cluster, these are about the instance that answers. */
const LOCAL = ['events', 'workers', 'budget.sender', 'budget.minutes', 'files', 'versions'] as const

/** A request to switch something off or on. `server_id`: only there, to switch it on. */
export interface SwitchRequest {
  name: string
  reason?: string | undefined
  server_id?: string | undefined
}

/** Collects the state of a bot for the control room, and carries out its actions. */
export class ControlRoom {
  readonly actions: boolean
  readonly #options: ControlRoomOptions
  readonly #versions: Versions
  #bot: ObservedBot | undefined
  readonly #leaving = new AbortController()

  constructor(options: ControlRoomOptions) {
    const { config, version } = options
    this.#options = options
    this.actions = config.health?.control?.actions ?? false
    this.#versions = { framework: ownVersion(), node: process.versions.node, bot: version, config: hashOf(config) }
  }

  attach(bot: ObservedBot): void {
    this.#bot = bot
  }

  async state(): Promise<ControlState> {
    const { config, watch, clean, clock, problems } = this.#options
    await problems.refresh()
    await problems.lookUp()
    const facts = watch.facts()
    const bot = this.#bot
    const unavailable: ControlState['unavailable'] = {}
    const read = async <T>(section: string, work: () => Promise<T> | T): Promise<T | null> => {
      try {
        return await within(clock, READ_MS, work)
      } catch (error) {
        unavailable[section] = clean((error as Error).message)
        return null
      }
    }
    const cluster = clusterOf(facts)
    const minutes = problems.minutes.list(facts.nowMs)
    const [dead_letters, runs, tasks, switches, requests, held] = await Promise.all([
      read('dead_letters', () => {
        if (facts.bot?.cluster && !facts.bot.cluster.cluster) throw new Error(`${cluster!.engine} does not respond`)
        return deadLettersOf(bot?.deadLetters() ?? [], clean)
      }),
      read('runs', () => (bot ? runsOf(bot.store) : { waiting: [], more: false })),
      read('tasks', () => problems.tasks()),
      read('switches', () => (bot ? switchesOf(bot.store, bot.definitions()) : { off: [], names: [] })),
      read('requests', async () => ({ set_aside: bot ? await countSetAside(bot.store) : 0 })),
      read('held', () => {
        const options = { config, nowMs: facts.nowMs, limit: MOST_HELD }
        return bot ? heldViews(bot.store, options) : { total: 0, channels: [] }
      }),
    ])
    return {
      at: new Date(facts.nowMs).toISOString(),
      bot: bot ? { id: bot.me.id, username: bot.me.username } : null,
      state: facts.state,
      ready: readinessOf(facts).ready,
      problems: problems.list(),
      actions: this.actions,
      versions: this.#versions,
      local: cluster ? LOCAL : [],
      unavailable,
      events: eventsOf(facts),
      queues: problems.queues(),
      workers: { restarts: facts.bot?.workerRestarts ?? 0, reloads: facts.bot?.reloads ?? 0 },
      budget: budgetOf(facts, { minutes, sender: problems.sender }),
      held,
      servers: problems.servers(),
      files: problems.files.list(clean),
      cluster,
      dead_letters,
      runs,
      tasks,
      switches,
      requests,
    }
  }

  /** False if the event is not set aside. */
  async replay(id: number): Promise<boolean> {
    const known = (await this.#bot?.replay(id)) ?? false
    if (known) this.#options.log.info({ eventId: id }, `event ${id} replayed from the control room`)
    return known
  }

  /** False if no run with this id waits. */
  async cancel(id: string): Promise<boolean> {
    if (!this.#bot) return false
    const runs = new RunStore(this.#bot.store)
    if ((await runs.head(id))?.status !== 'waiting') return false
    await runs.request(id, { action: 'cancel', reason: 'cancelled in the control room' })
    this.#options.log.info({ run: id }, `run ${id} cancelled from the control room`)
    return true
  }

  /** Switches a name off or on, everywhere or, if it is off in a server, there. Throws a `SwitchError`. */
  async switch(to: 'off' | 'on', { name, reason, server_id }: SwitchRequest): Promise<readonly SwitchView[]> {
    const { clock, log } = this.#options
    if (!this.#bot) throw new SwitchError('the bot is starting')
    const { store } = this.#bot
    const off = await readOff(store)
    const known = findName(name, this.#bot.definitions(), to === 'on' ? off.map((one) => one.name) : [])
    const server = off.find((one) => one.server?.id === server_id)?.server
    if (server_id !== undefined && !server) throw new SwitchError(`nothing is off in the server ${server_id}`)
    const changed =
      to === 'on'
        ? await switchOn(store, known, server)
        : [await switchOff(store, { name: known, reason, sinceMs: clock.now() })]
    log.info({ name: known }, `${known} switched ${to} from the control room`)
    return changed.map(switchView)
  }

  /** Resolves when the reason of the end has been readable for some time, or after `leave`. */
  async linger(): Promise<void> {
    const { clock, log } = this.#options
    log.info({}, `the control room shows the reason for ${LINGER_MS / 1000} s before the process ends`)
    // An aborted sleep rejects.
    await sleep(clock, LINGER_MS, this.#leaving.signal).catch(() => {})
  }

  /** Ends `linger`. */
  leave(): void {
    this.#leaving.abort()
  }
}

/** Functions such as `store`, values of variables and options of plugins, which may be secrets, do not count. */
function hashOf({ env: _env, hiddenEnv: _hidden, plugins, ...config }: Config): string {
  const plain = { ...config, plugins: Object.keys(plugins ?? {}) }
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex').slice(0, 12)
}
