import { BotwrightError } from '@botwright/protocol/facts'
import type { Outcome } from '@botwright/framework'

/** A handler of the bot threw: the message begins with its file and line, and the stack is the handler's. */
export class HandlerError extends BotwrightError {
  /** The handler's file: `commands/ping.ts`. */
  readonly file: string
  /** The line that threw: `commands/ping.ts:12`. */
  readonly at: string

  constructor(file: string, error: NonNullable<Outcome['error']>) {
    super('ERR_HANDLER', `${error.at}: ${error.message}`)
    this.name = 'HandlerError'
    this.file = file
    this.at = error.at
    const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
    // A test runner shows the code of the first line: the handler's, not this one's.
    if (frames.length > 0) this.stack = `${this.name}: ${this.message}\n${frames.join('\n')}`
  }
}

/** Errors of handlers that no step of a test has thrown yet. */
export interface Failure {
  error: Error
  /** `id` of the subject of the event: the message, or the click. */
  about: unknown
}
