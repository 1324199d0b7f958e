/** Types of the people's API: what the web page and test drivers call, and what the stream sends. */
export type { PeopleEndpoints } from './lib/people-contract/index.ts'
export type {
  ArgHelp,
  BotCall,
  BotEvent,
  BotUsage,
  ClickAnswer,
  ClickState,
  CommandHelp,
  Dm,
  Ephemeral,
  ListedBot,
  OwnedBot,
  PeopleMember,
  Person,
  Presence,
  Report,
  ServerBot,
  ServerView,
  Submission,
} from './lib/people-resources.ts'
export type { StreamEvent, StreamEventType } from './lib/stream-events.ts'
