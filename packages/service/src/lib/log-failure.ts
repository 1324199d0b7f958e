import { inspect } from 'node:util'
import { printableBlock } from '@botwright/protocol/facts'

/** Writes an entry to the log of the service, standard error. It may contain untrusted input, so it is escaped. */
export function logFailure(text: string, error?: unknown): void {
  console.error(printableBlock(error === undefined ? text : `${text} ${inspect(error)}`))
}
