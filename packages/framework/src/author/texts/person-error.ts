import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { inEnglish } from './phrase.ts'
import type { Words } from './words.ts'

// Found by symbol, not by class: a built bot may contain its own copy of this class.
const wordsKey = Symbol.for('botwright.words')

/** An error whose text is shown to the user who typed or clicked, in their language. Its `message` is the same text in English. */
export class PersonError extends BotwrightError {
  constructor(code: ErrorCode, words: Words, options?: ErrorOptions) {
    super(code, inEnglish(words), options)
    Object.defineProperty(this, wordsKey, { value: words })
  }
}

/** The text of an error for a user; for other errors, the message. */
export const wordsOf = (error: Error): Words => (error as { [wordsKey]?: Words })[wordsKey] ?? error.message
