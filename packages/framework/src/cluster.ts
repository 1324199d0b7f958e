// For engines that run one bot as several instances.
export type {
  Click,
  Cluster,
  ClusteredBot,
  ClusterHost,
  ClusterStatus,
  Duties,
  Machine,
  MachineStatus,
  Term,
} from './runtime/ports/cluster.ts'
export { SECOND_TURN_MS } from './runtime/ports/cluster.ts'
export type { Log, StateStore, Stored } from './author/ports.ts'
export { afterPrefix, readKey, writeValue } from './author/state/store-text.ts'
export { answerKey } from './link/conversation/answer-key.ts'
export { systemClock, type Clock } from '@botwright/clock'
export {
  Delivery,
  laneKey,
  readEvent,
  type BotEvent,
  type Journal,
  type Report,
  type SetAside,
} from '@botwright/events'
export type { LimitStore, Priority } from '@botwright/rest'
export { BotwrightError, limits } from '@botwright/protocol/facts'
