export { Person } from './lib/person.ts'
export type { ClickAnswer, Seen } from './lib/person.ts'
export { startTestBot } from './lib/test-bot.ts'
export type { TestBot, TestBotOptions } from './lib/test-bot.ts'
