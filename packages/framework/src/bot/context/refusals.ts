import type { HandlerContext } from '../../author/context.ts'

const reasons = new WeakMap<HandlerContext, string>()

/** Records, in English, why the handler did not do what was asked. The first reason counts. */
export function noteRefusal(ctx: HandlerContext, reason: string): void {
  if (!reasons.has(ctx)) reasons.set(ctx, reason)
}

export const refusalOf = (ctx: HandlerContext): string | undefined => reasons.get(ctx)
