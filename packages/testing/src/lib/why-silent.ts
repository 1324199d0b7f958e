import { advanceHint } from './own-work.ts'
import type { LogLine } from './test-bot-options.ts'

/** The reason why the bot cannot answer, according to its log. */
export function whySilent(log: readonly LogLine[]): string | undefined {
  if (log.some(({ code }) => code === 'budget-used-up')) return `the message budget is used up, and ${advanceHint}`
  const cause = log.findLast(({ code, level }) => code === 'message-held' || level === 'warn' || level === 'error')
  return cause?.code === 'message-held'
    ? `${cause.msg} (quiet hours)`
    : cause && `the last problem in its log: ${cause.msg}`
}
