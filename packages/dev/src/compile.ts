export { compileBot, type BotCopy } from './lib/compile-bot.ts'
