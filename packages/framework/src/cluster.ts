// For engines that run one bot as several instances.
export type {
  Click,
  Cluster,
  ClusteredBot,
  ClusterHost,
  ClusterStatus,
  Duties,
  ClusterMember,
  MemberStatus,
  Term,
} from './runtime/ports/cluster.ts'
export type { Log, StateStore, Stored } from './author/ports.ts'
export { afterPrefix, readKey, writeValue } from './author/state/store-text.ts'
export * from './features/http-redis/redis-values.ts'
export { clickOf } from './features/delivery/click-ack.ts'
export { isWake } from './link/run-event.ts'
export { answerKey } from './link/answer-key.ts'
export { aheadOf, systemClock, type Clock, type Timer } from '@botwright/clock'
export {
  type Delivery,
  type EventKey,
  eventKey,
  EventQueues,
  type Gathered,
  laneKey,
  readEvent,
  Unfinished,
  type BotEvent,
  type Journal,
  type Report,
  type SetAside,
} from '@botwright/events'
export type { LimitStore, Priority } from '@botwright/rest'
export { BotwrightError, BoundedMap, limits } from '@botwright/protocol/facts'
