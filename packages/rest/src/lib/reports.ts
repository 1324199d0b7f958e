import type { Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'

/** Receives notices for the bot's owner. */
type OnReport =
  | ((report: { level: 'warn'; code: string; message: string; [fact: string]: unknown }) => void)
  | undefined

/** How often to report that messages are waiting. */
const REPORT_AGAIN_MS = 60_000

/** Returns a function that reports, not too often, that messages wait for the budget. */
export function waitingReports(clock: Clock, onReport: OnReport): (waitMs: number) => void {
  let reportedMs = -Infinity
  return (waitMs) => {
    const now = clock.monotonic()
    if (now < reportedMs + REPORT_AGAIN_MS) return
    reportedMs = now
    const seconds = Math.ceil(waitMs / 1000)
    onReport?.({
      level: 'warn',
      code: 'budget-used-up',
      message: `the message budget is used up (interface §8): the next message will be sent in about ${seconds} s`,
      seconds,
    })
  }
}

/** Warns of so many commands that the service may refuse them. */
export function reportCommands(input: Record<string, unknown>, onReport: OnReport): void {
  const count = (input['commands'] as unknown[]).length
  if (count <= limits.commands.cautious) return
  onReport?.({
    level: 'warn',
    code: 'many-commands',
    message: `${count} commands: the service documents both ${limits.commands.cautious} and ${limits.commands.max} as its limit, and may refuse them`,
    count,
  })
}

/** The times of messages could not be stored. */
export const sendTimesNotSaved = {
  level: 'error',
  code: 'send-times',
  message: 'the send times could not be saved; after a restart the service may respond 429',
} as const
