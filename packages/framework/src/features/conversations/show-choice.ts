import type { Message } from '@botwright/protocol/shapes'
import { codeOf } from '../../author/error-code.ts'
import type { ButtonContext } from '../../bot/context/button-context.ts'
import type { Context } from '../../bot/context/context.ts'
import { servicesOf } from '../../bot/services.ts'

/** The handler cannot continue after these errors. */
const endsHandler: ReadonlySet<string> = new Set([
  'ERR_FENCED',
  'ERR_RUN_CANCELLED',
  'ERR_RUN_TOO_LONG',
  'ERR_UNAUTHORIZED',
])

/** Does something that an answer does not depend on. A failure is logged, unless the handler cannot continue after it. */
export async function attempt(ctx: Context, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (endsHandler.has(codeOf(error) ?? '')) throw error
    const reason = error instanceof Error ? error.message : String(error)
    servicesOf(ctx).log.warn({ event: ctx.envelope.id, file: ctx.file }, `${ctx.file}: ${what}: ${reason}`)
  }
}

/**
 * Shows what a person has clicked in place of the buttons. The click counts even if this fails: the message may be deleted, and a click
 * can be answered for 15 minutes (§3).
 */
export const showChoice = (ctx: Context, click: ButtonContext, asked: Message, content: string): Promise<void> =>
  attempt(ctx, 'the choice cannot be shown', async () => {
    const changes = { content, components: null }
    await click.update(changes).catch((error: unknown) => {
      if (endsHandler.has(codeOf(error) ?? '')) throw error
      return ctx.edit(asked, changes)
    })
  })
