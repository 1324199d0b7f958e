import type { MessageContext } from '@botwright/framework'

/** Returns why a message is not allowed; undefined if it is. */
export type Rule = (ctx: MessageContext) => string | undefined | Promise<string | undefined>
