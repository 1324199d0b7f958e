import { existsSync } from 'node:fs'
import { VirtualClock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'
import type { BotProfile } from '@botwright/protocol/shapes'
import { type CallHandle, createCall } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'
import type { BotSource } from '../../link/ports.ts'
import type { Log } from '../../author/ports.ts'
import type { RecordedEvent } from '../history/recorded-event.ts'
import { createOutbox } from '../../runtime/ports/broadcasts.ts'
import { Broadcaster } from '../broadcasts/broadcaster.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { SqliteStore } from '../stored-state/sqlite-store.ts'
import { stateFile } from '../host-files/state-files.ts'
import { createDryCall } from './dry-call.ts'
import { OverlayStore } from './overlay-store.ts'
import { type ReplayedEvent, replayEvents } from './replay-events.ts'

/** The options of a dry run. */
export interface DryRunOptions {
  events: readonly RecordedEvent[]
  source: BotSource
  config: Config
  /** The folder of the bot's state, unless the configuration has a store. It is read, never written. */
  stateDir: string
  /** The service for reads that were not recorded. */
  service?: { baseUrl: string; token: string } | undefined
  log: Log
  /** The environment, whose secrets the recording does not contain. */
  env: Variables
  /** Called with whether the service is reachable. */
  onService?: (reachable: boolean) => void
}

const SERVICE_MS = 3000

/**
 * Runs recorded events through a bot without sending anything. Writes are simulated, state changes stay in memory, and the clock is at
 * the time of the event. Only side effects outside `ctx` are real.
 */
export async function* dryRun(options: DryRunOptions): AsyncGenerator<ReplayedEvent, void, undefined> {
  const { events, source, config, stateDir, log, env } = options
  const [first] = events
  if (!first) return
  const clock = new VirtualClock(first.atMs)
  const service = options.service && createCall({ ...options.service, messageBudget: false })
  try {
    const known = service && (await profileOf(service))
    options.onService?.(known !== undefined)
    const me = known ?? profileLike(events.at(-1)!)
    const file = stateFile(stateDir, 'state.db')
    const own = await config.store?.({ botId: me.id, clock, log })
    using stored = !own && existsSync(file) ? new SqliteStore({ file, botId: me.id, clock, log }) : undefined
    const store = new OverlayStore(own ?? stored ?? new MemoryStore(clock), clock)
    const live = known && service
    const outside = createDryCall({ me, clock, live, current: () => undefined })
    const stats = () => ({ limit: limits.messages.requests, used: 0, waiting: 0, freeInMs: 0 })
    const outbox = createOutbox(new Broadcaster({ call: outside, store, clock, log }), stats)
    yield* replayEvents(
      events,
      { source, config },
      {
        me,
        store,
        outbox,
        log,
        env,
        clock,
        dry: true,
        call: (current) => createDryCall({ me, clock, live, current }),
      },
    )
  } finally {
    await service?.[Symbol.asyncDispose]()
  }
}

/** The bot's profile; undefined if the service is not reachable or refuses the token. */
const profileOf = (call: CallHandle): Promise<BotProfile | undefined> =>
  call('me.get', {}, { timeoutMs: SERVICE_MS, signal: AbortSignal.timeout(SERVICE_MS) }).catch(() => undefined)

const profileLike = ({ botId, username, created_at }: RecordedEvent): BotProfile => ({
  id: botId,
  username,
  display_name: null,
  bio: '',
  avatar_url: null,
  banner_url: null,
  created_at,
  bot: { name: username, public: false, owner_id: botId },
})
