import type { AnyContext } from '@botwright/framework'

/** Tells the first text channel of the server: these events happen in no channel where people read. */
export async function tell(ctx: AnyContext, text: string): Promise<void> {
  const { channels } = await ctx.api.channels.list({ type: 'text' })
  const [first] = channels
  if (first) await ctx.send(first.id, text)
}
