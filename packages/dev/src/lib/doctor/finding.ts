/** One thing that the doctor looked at. A fault keeps the bot from running; a warning may. */
export interface Finding {
  state: 'ok' | 'warning' | 'fault'
  /** What was looked at: `token`. */
  subject: string
  fact: string
  /** How to mend it. */
  fix?: string
}

export const ok = (subject: string, fact: string): Finding => ({ state: 'ok', subject, fact })
export const warning = (subject: string, fact: string, fix: string): Finding => ({
  state: 'warning',
  subject,
  fact,
  fix,
})
export const fault = (subject: string, fact: string, fix: string): Finding => ({ state: 'fault', subject, fact, fix })
