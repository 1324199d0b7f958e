// An event and its delivery: without the feed and the journal, so that a bot's compiler reads fewer types, and its threads load no database.
export { eventKey, readEventKey } from './lib/bot-event.ts'
export type { BotEvent, Delivery, EventKey } from './lib/bot-event.ts'
