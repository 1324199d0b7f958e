import type { Message } from '@botwright/protocol/shapes'
import type { Duration } from '../time/duration.ts'

/** The options of `ctx.stream`. */
export interface StreamOptions {
  /** Shows the text where `ctx.update` would: on a click in the clicked message, elsewhere in this handler's last reply. Default: a reply. */
  update?: boolean
  /** The label of a button with which the user of the event stops the text. Default: no button. */
  stop?: string
  /** How long the source may take. Default `'5m'`. */
  timeout?: Duration
  /** Ends the text early. */
  signal?: AbortSignal
}

/** A text that was shown while it was written. */
export interface Streamed {
  /** The whole text; if it is complete, the messages together contain it. NUL and half characters are U+FFFD. */
  text: string
  /** Its messages, in order; none if the text is empty. */
  messages: readonly Message[]
  /** `complete`, or why the source was not read to its end: then the last message ends with an ellipsis. */
  end: 'complete' | 'stopped' | 'timeout'
}
