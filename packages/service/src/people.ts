// A client of the people's API, made from its table, and the types of its resources and of the stream. Loads no schemas.
export { connectPeople, createPeopleClient, fetchPeople, PeopleError, peopleRequest } from './lib/people-api/client.ts'
export type { PeopleAccess, PeopleCallName, PeopleCalls, PeopleClient, PeopleRequest } from './lib/people-api/client.ts'
export { limitedText } from './lib/people-api/limited-text.ts'
export { helpBounds, inspectorBounds, problemBounds } from './lib/people-api/bounds.ts'
export { peopleBase, peopleStream } from './lib/people-api/paths.ts'
export type { PeopleEndpoints } from './lib/people-api/endpoints/index.ts'
export type {
  ArgHelp,
  BotCall,
  BotEvent,
  BotProblems,
  BotUsage,
  ClickAnswer,
  ClickState,
  CommandHelp,
  Dm,
  Ephemeral,
  ListedBot,
  OwnedBot,
  OwnedChannelWebhook,
  PeopleMember,
  Person,
  Presence,
  PublishedTimeline,
  Replay,
  Report,
  ServerBot,
  ServerView,
  Submission,
  TimelineSummary,
} from './lib/people-api/resources.ts'
export type { StreamEvent, StreamEventType } from './lib/people-api/stream-events.ts'
