// What reads an event and nothing else: without the feed and the journal, whose types a bot's compiler would have to read.
export type { BotEvent, Delivery } from './lib/bot-event.ts'
