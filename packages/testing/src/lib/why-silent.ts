import { advanceHint } from './own-work.ts'
import type { LogLine } from './test-bot-options.ts'

/** The reason why the bot cannot answer, according to its log. */
export function whySilent(log: readonly LogLine[]): string | undefined {
  if (log.some(({ code }) => code === 'budget-used-up')) return `the message budget is used up, and ${advanceHint}`
  const trouble = log.findLast(({ level }) => level === 'warn' || level === 'error')
  return trouble && `the last problem in its log: ${trouble.msg}`
}
