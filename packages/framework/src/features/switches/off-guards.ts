import { eventKey } from '@botwright/events/event'
import type { Context } from '../../author/context.ts'
import type { Entry } from '../../author/files/entries.ts'
import type { StateStore } from '../../author/ports.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { OffGuards } from '../../bot/guards/guarded.ts'
import { RunStore } from '../durable/stored/run-store.ts'
import { nameOf, offBy } from './switched-off.ts'

/** The guard of a file that is switched off. People get its reason, as with any other guard. */
export const offGuards: OffGuards = async (off, ctx, entry, runs) => {
  const name = nameOf(entry)
  const found = name === undefined ? undefined : offBy(off, name, ctx.server_id)
  if (!found || (runs && ctx.redelivered && (await hasBegun(ctx, entry, runs)))) return []
  const { reason } = found
  const what = phrase(ctx.kind === 'button' ? 'off.button' : 'off.command')
  const refusal = [what, reason === undefined ? '.' : `: ${reason}`]
  const describe = reason === undefined ? 'switched off' : `switched off: ${reason}`
  return [[`${ctx.file}#off`, { describe, counts: false, check: () => ({ refusal }) }]]
}

/** Whether the durable run of an event that is delivered again has begun. */
async function hasBegun({ envelope }: Context, { kind, file }: Entry, store: StateStore): Promise<boolean> {
  const id = `${eventKey(envelope)}${kind === 'event' ? `:${file}` : ''}`
  const runs = new RunStore(store)
  return (await runs.head(id)) !== undefined || (await runs.log(id)).records.length > 0
}
