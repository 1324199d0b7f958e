// For `framework events`, `explain`, `replay` and `state`. A running bot does not load it.
export { parseDuration, durationExamples } from './author/time/duration.ts'
export { historyNames } from './author/config/config.ts'
export type { EventRow, UnhandledEvents } from './features/history/unhandled.ts'
export { History, type HistoryQuery } from './features/history/history.ts'
export { isOwnWork, type RecordedCall, type RecordedEvent } from './features/history/recorded-event.ts'
export { dryRun, type DryRunOptions } from './features/replay/dry-run.ts'
export { choiceOf } from './author/buttons/face.ts'
export { chooseHistory, type RecordedBy } from './features/history/choose-history.ts'
export {
  explainCommand,
  type ExplainedEvent,
  type ExplainOptions,
  isFailedTask,
  TASK_FAILED,
} from './features/history/commands/explain-command.ts'
export { unhandledWords } from './features/history/output/event-list.ts'
export { frameWindow } from './features/history/output/frame-window.ts'
export { timelineHtml } from './features/history/output/timeline-html.ts'
export { withLinks } from './features/history/output/editor-links.ts'
export { awaitedWords, missedWords, subcommandWords } from './features/history/step-text.ts'
export { localTime, zonedTime } from './features/history/local-time.ts'
export { differing } from './features/history/differing.ts'
export { type TaskState, taskStates } from './features/tasks/runtime/task-states.ts'
export { timelineOf } from './features/history/timeline.ts'
export { describeEvent, type ObservedEvent } from './features/history/event-words.ts'
export { answersOf, answerWords, embedTexts, isRead } from './features/history/call-words.ts'
export { realRun, type RealRunOptions } from './features/replay/real-run.ts'
export type { ReplayedEvent } from './features/replay/replay-events.ts'
export { configuredUrl, isClustered, reachCluster } from './features/stored-state/reach-cluster.ts'
export { MAX_VALUE_CHARACTERS } from './author/state/store-text.ts'
export { idsOf, type Owner } from './author/state/scope.ts'
export { botsIn, type KnownBot } from './features/history/known-bots.ts'
export { storeIn } from './features/stored-state/state-file.ts'
export { readStates, writeState, type StateAddress, type StoredState } from './features/state/stored-states.ts'
export { replayCommand } from './features/set-aside/commands/replay-command.ts'
export { runAgain, setAsideRequests, type SetAsideRequest } from './features/routes/set-aside-requests.ts'
