// What `framework events`, `replay` and `state` read and run; nothing of it is loaded by a bot that runs.
export { parseDuration, durationExamples } from './lib/duration.ts'
export { historyNames } from './lib/record/bounds.ts'
export { History, type HistoryQuery, type RecordedCall, type RecordedEvent } from './lib/record/history.ts'
export { dryRun, type DryRunOptions } from './lib/replay/dry-run.ts'
export { choiceOf } from './lib/conversation/choice.ts'
export { isRead } from './lib/replay/dry-call.ts'
export { realRun, type RealRunOptions } from './lib/replay/real-run.ts'
export type { ReplayedEvent } from './lib/replay/replay-events.ts'
export { isClustered } from './lib/cluster/reach-cluster.ts'
export { MAX_VALUE_CHARACTERS } from './lib/state/store-text.ts'
export { idsOf, type Owner } from './lib/state/scope.ts'
export {
  botsIn,
  readStates,
  writeState,
  type KnownBot,
  type StateAddress,
  type StoredState,
} from './lib/state/state-file.ts'
export { replayCommand } from './lib/delivery/replay-command.ts'
