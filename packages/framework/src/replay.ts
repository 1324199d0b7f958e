// What `framework events` and `framework replay` read and run; nothing of it is loaded by a bot that runs.
export { parseDuration, durationExamples } from './lib/duration.ts'
export { historyName } from './lib/record/bounds.ts'
export { History, type HistoryQuery, type RecordedCall, type RecordedEvent } from './lib/record/history.ts'
export { dryRun, type DryRunOptions } from './lib/replay/dry-run.ts'
export { isRead } from './lib/replay/dry-call.ts'
export { realRun, type RealRunOptions } from './lib/replay/real-run.ts'
export type { ReplayedEvent } from './lib/replay/replay-events.ts'
export { replayCommand } from './lib/delivery/replay-command.ts'
