// An event and its delivery: without the feed and the journal, so that a bot's compiler reads fewer types, and its threads load no database.
export { Delivery, eventKey, readEventKey } from './lib/bot-event.ts'
export type { BotEvent, EventKey } from './lib/bot-event.ts'
