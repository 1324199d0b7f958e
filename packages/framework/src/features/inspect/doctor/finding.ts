import type { BotwrightError } from '@botwright/protocol/facts'

/** One result of the doctor. A fault keeps the bot from running; a warning may. */
export interface Finding {
  state: 'ok' | 'warning' | 'fault'
  /** The subject of the check: `token`. */
  subject: string
  fact: string
  /** The fix. */
  fix?: string
  /** The error code that the bot itself would end with; the documentation has a section about it. */
  code?: BotwrightError['code']
}

/** A check without a problem. */
export const ok = (subject: string, fact: string): Finding => ({ state: 'ok', subject, fact })
/** A problem with which the bot runs. */
export const warning = (subject: string, fact: string, fix: string): Finding => ({
  state: 'warning',
  subject,
  fact,
  fix,
})
/** A problem that keeps the bot from running. */
export const fault = (subject: string, fact: string, fix: string, code?: BotwrightError['code']): Finding => ({
  state: 'fault',
  subject,
  fact,
  fix,
  ...(code && { code }),
})
