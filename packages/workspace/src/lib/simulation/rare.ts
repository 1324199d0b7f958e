import type { PlantedFault } from './planted-fault.ts'

/**
 * Small pages, caches and limits, in place of those of a busy bot: their rare branches run all the time. They change nothing that a bot promises,
 * so no rule may break. `from` and `to` as for planted faults.
 */
export const rareBranches: readonly Omit<PlantedFault, 'bot'>[] = [
  {
    name: 'the journal is compacted all the time',
    file: 'events/src/lib/journal.ts',
    from: 'const COMPACT_ROWS = 256',
    to: 'const COMPACT_ROWS = 2',
  },
  {
    name: 'a poll brings two events',
    file: 'service/src/lib/event-feed/feed.ts',
    from: 'const PAGE = 1000',
    to: 'const PAGE = 2',
  },
  {
    name: 'two events are a full page, for the feed',
    file: 'events/src/lib/feed.ts',
    from: 'const READ_AHEAD = 50',
    to: 'const READ_AHEAD = 2',
  },
  {
    name: 'two events are a full page, for clicks',
    file: 'framework/src/features/delivery/service-clock.ts',
    from: 'const FULL_PAGE = 50',
    to: 'const FULL_PAGE = 2',
  },
  {
    name: 'few handlers run at the same time',
    file: 'events/src/lib/feed.ts',
    from: 'const { maxRunning = 256,',
    to: 'const { maxRunning = 8,',
  },
  {
    name: 'no idle queue is kept',
    file: 'events/src/lib/event-queues.ts',
    from: 'const IDLE_QUEUES_KEPT = 1024',
    to: 'const IDLE_QUEUES_KEPT = 0',
  },
  {
    name: 'rows that are due begin one after the other',
    file: 'framework/src/features/due-rows/due-row-runner.ts',
    from: 'concurrent = 50 }',
    to: 'concurrent = 1 }',
  },
  {
    name: 'sleeping runs are read one by one',
    file: 'framework/src/features/durable/stored/run-store.ts',
    from: 'const PAGE = 1000',
    to: 'const PAGE = 1',
  },
  {
    name: 'parked answers are read one by one',
    file: 'framework/src/features/durable/stored/parked-store.ts',
    from: 'const PAGE = 100',
    to: 'const PAGE = 1',
  },
  {
    name: 'a repeated step looks for its message in small pages',
    file: 'framework/src/features/durable/runs/repeat-call.ts',
    from: 'const PAGE = 100\nconst PAGES = 10',
    to: 'const PAGE = 2\nconst PAGES = 500',
  },
  {
    name: 'roles are cached for one member',
    file: 'framework/src/features/roles/role-cache.ts',
    from: 'const MAX_CACHED = 2000',
    to: 'const MAX_CACHED = 1',
  },
  {
    name: 'the quiet hours of one channel are cached',
    file: 'framework/src/features/quiet-hours/quiet-hours.ts',
    from: 'const MOST_CHANNELS = 1000',
    to: 'const MOST_CHANNELS = 1',
  },
  {
    name: 'one person with a cooldown is cached',
    file: 'framework/src/features/cooldowns/cooldown.ts',
    from: 'const MAX_USED_UP = 10_000',
    to: 'const MAX_USED_UP = 1',
  },
  {
    name: 'a burst ends with its second event',
    file: 'framework/src/features/gather/gathering.ts',
    from: 'const MOST_EVENTS = 100',
    to: 'const MOST_EVENTS = 2',
  },
]
