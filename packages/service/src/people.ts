/** The people's side as types: what the web page and test drivers call, and what the stream sends. */
export type { PeopleEndpoints } from './lib/people-contract/index.ts'
export type {
  ClickAnswer,
  ClickState,
  Dm,
  Ephemeral,
  OwnedBot,
  PeopleMember,
  Person,
  Presence,
  ServerBot,
  ServerView,
  StreamEvent,
  StreamEventType,
} from './lib/people-resources.ts'
