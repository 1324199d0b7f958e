import { inspect } from 'node:util'
import { printableBlock } from '@botwright/protocol/facts'

/** Writes a line to the log of the service, standard error. What people named and sent is in it, so it is escaped. */
export function logFailure(text: string, error?: unknown): void {
  console.error(printableBlock(error === undefined ? text : `${text} ${inspect(error)}`))
}
