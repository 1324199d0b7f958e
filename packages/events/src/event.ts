// The types of an event only: without the feed and the journal, so that a bot's compiler reads fewer types.
export type { BotEvent, Delivery } from './lib/bot-event.ts'
