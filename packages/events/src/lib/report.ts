/** What the feed, the journal and the receiver have to say. Stable names; `message` is for people. */
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

/** Something that a feed has to tell: a code to decide by, and a text. */
export interface ReportEntry {
  code: ReportCode
  level: 'info' | 'warn' | 'error'
  message: string
  [fact: string]: unknown
}

/** Takes what a feed has to tell. */
export type Report = (entry: ReportEntry) => void

/** The text of anything thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
