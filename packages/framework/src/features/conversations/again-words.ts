import type { Context } from '../../bot/context/context.ts'
import type { CommandContext } from '../../bot/context/message-context.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'

/** How the user starts over: with the command or with a click. Undefined for other events. */
function againOf(ctx: Context): Words | undefined {
  if (ctx.kind === 'command') {
    const { prefix, command } = ctx as unknown as CommandContext
    return `${prefix}${command}`
  }
  return ctx.kind === 'button' ? phrase('ask.click_again') : undefined
}

/** The end of a text for a user whose handler has ended: ` To start again: /signup`. */
export function againWords(ctx: Context): Words {
  const again = againOf(ctx)
  return again === undefined ? '' : [' ', phrase('ask.begin_again', { again })]
}

/** The text for a user whose handler a restart has ended. `lost`: what has happened. */
export function lostWords(ctx: Context, lost: Words): Words {
  const again = againOf(ctx)
  return again === undefined ? lost : [lost, ' ', phrase('ask.please_begin_again', { again })]
}
