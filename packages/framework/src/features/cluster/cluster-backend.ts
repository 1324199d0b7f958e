import { existsSync } from 'node:fs'
import { aheadOf, type Clock, isMovable } from '@botwright/clock'
import type { BotEvent } from '@botwright/events'
import { lowerId } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import { withInstance } from '../conversations/lost-conversations.ts'
import { isRunKey } from '../../link/run-event.ts'
import { hasCode } from '../../author/error-code.ts'
import { type Backend, type Identity, type Instance, type LoadedBot } from '../../runtime/instance/stage-types.ts'
import { lockInstance } from '../host-files/lock.ts'
import { folderOfState, stateFile } from '../host-files/state-files.ts'
import type { StartBotOptions } from '../../runtime/ports/running-bot.ts'
import type { OtherInstances } from '../../runtime/ports/durable-dispatch.ts'
import { withOwner } from '../durable/stored/run-store.ts'
import { WatchedStore } from '../../runtime/state/watched-store.ts'
import { ClusterClaims } from './cluster-claims.ts'
import { ClusterInstance } from './cluster-instance.ts'
import type { InstanceServices } from './leader-term.ts'
import type { Cluster, ClusterMember } from '../../runtime/ports/cluster.ts'

/** How long a request may take. If its instance dies, its slot of the budget is free after that. */
const TIMEOUT_MS = 15_000
/** After this many instances have died while running an event, it is set aside. */
const HANDLER_ATTEMPTS = 3

/** Lets this process join the cluster. Throws `ERR_ALREADY_RUNNING`, and the errors of `Cluster.join`. */
export async function openClusterBackend({ connection, me }: Identity, cluster: Cluster): Promise<ClusterBackend> {
  const { cleanup, clock, options, report } = connection
  const { baseUrl, config, lockFolder, log, version = 'unknown' } = options
  const { id: botId, username } = me
  if (lockFolder !== false) {
    const lock = lockInstance({ baseUrl, botId, username, ...(lockFolder !== undefined && { folder: lockFolder }) })
    cleanup.addLast(() => lock.release())
  }
  warnOfLocalData(options)
  const member = await cluster.join({
    baseUrl,
    botId,
    version,
    clock,
    log,
    report,
    ...(config.messageBudget && { messageBudget: config.messageBudget }),
    timeoutMs: TIMEOUT_MS,
    handlerAttempts: HANDLER_ATTEMPTS,
  })
  const backend = new ClusterBackend(member, clock)
  cleanup.add(() => member.close())
  log.info({ instance: member.id }, `this instance is ${member.id} of the cluster`)
  return backend
}

/** A cluster does not use what a single instance has stored in its folder. */
function warnOfLocalData({ source, stateDir, log }: StartBotOptions): void {
  const folder = folderOfState(source, stateDir)
  const files = ['state.db', 'journal.db'].map((name) => stateFile(folder, name)).filter((file) => existsSync(file))
  if (files.length > 0)
    log.warn(
      { files },
      `this bot has run without a cluster before: the cluster does not use the data in ${files.join(' and ')}. To stop this warning, remove that data or pass another folder with --state`,
    )
}

/** One instance of many: they share the store, the message budget and the journal of the cluster. */
class ClusterBackend implements Backend, InstanceServices {
  readonly member: ClusterMember
  readonly client: { limitStore: ClusterMember['limits']; timeoutMs: number }
  readonly store: WatchedStore
  readonly claims: ClusterClaims
  readonly dispatching: NonNullable<Backend['dispatching']>
  readonly others: OtherInstances
  /** Calls that the fence refused. */
  fenced = 0
  readonly clock: Clock

  constructor(member: ClusterMember, clock: Clock) {
    this.member = member
    // One that is moved ahead shows a time of its own.
    this.clock = isMovable(clock) ? clock : aheadOf(clock, () => member.clockAheadMs)
    this.client = { limitStore: member.limits, timeoutMs: TIMEOUT_MS }
    this.store = new WatchedStore(member.store)
    this.store.stamp = (key, value) => withOwner(key, withInstance(key, value, member.id), member.id)
    this.claims = new ClusterClaims(member)
    this.dispatching = {
      clockAheadMs: () => member.clockAheadMs,
      replayCommand: 'framework cluster replay',
      // Runs are found by their record.
      onWaits: (key: string, on: boolean) => void (isRunKey(key) || member.waits(key, on)),
    }
    this.others = {
      get id() {
        return member.id
      },
      ask: (instance, delivery) => member.ask(instance, delivery),
      isActive: async (instance) => (await member.living()).has(instance),
    }
  }

  setAside(event: BotEvent, reason: string): Promise<boolean> {
    return this.member.setAside(event, reason).then(
      () => true,
      () => false,
    )
  }

  /** A handler's calls pass the fence as late as possible. Calls that answer a click are reported before and after. */
  callOf(call: Call): Call {
    const fence = async (before?: CallOptions['leaving']): Promise<void> => {
      await before?.()
      try {
        // Checked last: anything awaited before may take long if this instance is frozen.
        await this.member.fence()
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
      // The handler does not depend on it: at worst the click is acknowledged as well.
      const note = (state: 'begun' | 'answered' | 'failed') =>
        this.member.answering(lowerId(interaction_id), state).catch(() => {})
      const leaving = () =>
        fence(async () => {
          await note('begun')
          await options.leaving?.()
        })
      try {
        const stayed = async () => {
          await note('failed')
          await options.stayed?.()
        }
        const answer = await out(name, input, { ...options, leaving, stayed })
        void note('answered')
        return answer
      } catch (error) {
        void note('failed')
        throw error
      }
    }
    return fenced as unknown as Call
  }

  createInstance(bot: LoadedBot): Instance {
    return new ClusterInstance(bot, this)
  }
}
