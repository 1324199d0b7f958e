import type { ErrorCode } from '@botwright/protocol'

/** One thing that the doctor looked at. A fault keeps the bot from running; a warning may. */
export interface Finding {
  state: 'ok' | 'warning' | 'fault'
  /** What was looked at: `token`. */
  subject: string
  fact: string
  /** How to mend it. */
  fix?: string
  /** What the bot itself would end with; the documentation has a section on it. */
  code?: ErrorCode
}

export const ok = (subject: string, fact: string): Finding => ({ state: 'ok', subject, fact })
export const warning = (subject: string, fact: string, fix: string): Finding => ({
  state: 'warning',
  subject,
  fact,
  fix,
})
export const fault = (subject: string, fact: string, fix: string, code?: ErrorCode): Finding => ({
  state: 'fault',
  subject,
  fact,
  fix,
  ...(code && { code }),
})
