export { createBot } from './features/embed/create-bot.ts'
export type { BotServer, CreateBotOptions, LogLine } from './features/embed/embed-options.ts'
export type { EmbeddedBot, StartedBot } from './features/embed/embedding.ts'
