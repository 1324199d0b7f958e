import { phrase } from '../../author/texts/phrase.ts'
import type { OffGuards } from '../../bot/guards/guarded.ts'
import { nameOf, offBy } from './switched-off.ts'

/** The guard of a file that is switched off. People get its reason, as with any other guard. */
export const offGuards: OffGuards = (off, ctx, entry) => {
  const name = nameOf(entry)
  const found = name === undefined ? undefined : offBy(off, name, ctx.server_id)
  if (!found) return []
  const { reason } = found
  const what = phrase(ctx.kind === 'button' ? 'off.button' : 'off.command')
  const refusal = [what, reason === undefined ? '.' : `: ${reason}`]
  const describe = reason === undefined ? 'switched off' : `switched off: ${reason}`
  return [[`${ctx.file}#off`, { describe, counts: false, check: () => ({ refusal }) }]]
}
