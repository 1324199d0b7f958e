export {
  eventKey,
  laneKey,
  readEvent,
  readEventKey,
  type BotEvent,
  type Delivery,
  type EventKey,
} from './lib/bot-event.ts'
export { EarlyRuns } from './lib/early-runs.ts'
export { createFeed, type Feed, type FeedEnd, type FeedOptions, type FeedStats } from './lib/feed.ts'
export { openJournal, type Journal, type JournalOptions, type JournalStats } from './lib/journal.ts'
export { openSetAside, type SetAsideFeed, type SetAsideFile } from './lib/open-set-aside.ts'
export type { SetAside } from './lib/set-aside.ts'
export type { Cursor, Group, Started } from './lib/journal-log.ts'
export { EventQueues, type EventQueue, type Gathered, type Run, Unfinished } from './lib/event-queues.ts'
export { Unauthorized, type ListEvents } from './lib/poll-loop.ts'
export type { Report, ReportCode, ReportEntry } from './lib/report.ts'
export { SignedEvents, type SignedEventsOptions, type SignedRequest } from './lib/signed-events.ts'
export type { QueueState } from './lib/event-queues.ts'
export type { ReceiverStats } from './lib/signed-events.ts'
export { createEventReceiver, type EventReceiver, type EventReceiverOptions, type EventServer } from './lib/receiver.ts'
export {
  answerFetch,
  BodyAlreadyRead,
  type HttpAnswer,
  type HttpRequest,
  type HttpResponse,
  requestOf,
  sendResponse,
} from './lib/http-exchange.ts'
