import { existsSync } from 'node:fs'
import { VirtualClock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'
import type { BotProfile } from '@botwright/protocol/shapes'
import { type CallHandle, createCall } from '@botwright/rest'
import type { Config } from '../../author/config/config.ts'
import type { BotSource } from '../../link/ports.ts'
import type { Log } from '../../author/ports.ts'
import type { RecordedEvent } from '../../runtime/recording/history.ts'
import { createOutbox } from '../../runtime/sending/outbox.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { SqliteStore } from '../../runtime/state/sqlite-store.ts'
import { stateFile } from '../../runtime/instance/state-files.ts'
import { createDryCall } from './dry-call.ts'
import { OverlayStore } from './overlay-store.ts'
import { type ReplayedEvent, replayEvents } from './replay-events.ts'

/** Which recorded events run through which code, with nothing sent. */
export interface DryRunOptions {
  events: readonly RecordedEvent[]
  source: BotSource
  config: Config
  /** The folder of the bot's state: read, never written. */
  stateDir: string
  /** Where reads go that were not recorded. */
  service?: { baseUrl: string; token: string } | undefined
  log: Log
  /** Hears whether the service answers. */
  onService?: (reachable: boolean) => void
}

const SERVICE_MS = 3000

/**
 * Runs recorded events through a bot and sends nothing: what it writes is answered on the spot, what it keeps stays in memory, and it is
 * always the time of the event. Only what a handler does by itself, past `ctx`, leaves.
 */
export async function* dryRun(options: DryRunOptions): AsyncGenerator<ReplayedEvent, void, undefined> {
  const { events, source, config, stateDir, log } = options
  const [first] = events
  if (!first) return
  const clock = new VirtualClock(first.atMs)
  const service = options.service && createCall({ ...options.service, messageBudget: false })
  try {
    const known = service && (await profileOf(service))
    options.onService?.(known !== undefined)
    const me = known ?? profileLike(events.at(-1)!)
    const file = stateFile(stateDir, 'state.db')
    using kept = existsSync(file) ? new SqliteStore({ file, botId: me.id, clock, log }) : undefined
    const store = new OverlayStore(kept ?? new MemoryStore(clock), clock)
    const live = known && service
    const outside = createDryCall({ me, clock, live, current: () => undefined })
    const stats = () => ({ limit: limits.messages.requests, used: 0, waiting: 0, freeInMs: 0 })
    const outbox = createOutbox({ call: Object.assign(outside, { stats }) as unknown as CallHandle, store, clock, log })
    yield* replayEvents(
      events,
      { source, config },
      {
        me,
        store,
        outbox,
        log,
        clock,
        call: (current) => createDryCall({ me, clock, live, current }),
      },
    )
  } finally {
    await service?.[Symbol.asyncDispose]()
  }
}

/** Undefined when the service does not answer, or not to this token: then there is nothing to read. */
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
