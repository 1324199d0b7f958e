/** The codes that the feed, the journal and the receiver report. The names are stable; `message` is meant for humans. */
export type ReportCode =
  | 'answers_too_early'
  | 'bad_answer'
  | 'event_expired'
  | 'event_malformed'
  | 'event_set_aside'
  | 'events_may_have_expired'
  | 'feed_reset'
  | 'journal_broken'
  | 'journal_failed'
  | 'journal_recovered'
  | 'poll_failed'
  | 'poll_recovered'
  | 'receiver_failed'
  | 'run_failed'
  | 'starting_kept'
  | 'starting_now'
  | 'unauthorized'
  | 'webhook_only'
  | 'webhook_refused'

/** An entry that a feed reports: a code for programs, and a text for humans. */
export interface ReportEntry {
  code: ReportCode
  level: 'info' | 'warn' | 'error'
  message: string
  [fact: string]: unknown
}

/** Receives the entries of a feed. */
export type Report = (entry: ReportEntry) => void

/** The message of any thrown value. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
