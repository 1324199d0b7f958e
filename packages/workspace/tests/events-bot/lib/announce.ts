import type { AnyContext } from '@botwright/framework'

/** Posts to the first text channel of the server: some events have no text channel of their own. */
export async function announce(ctx: AnyContext, text: string): Promise<void> {
  const { channels } = await ctx.api.channels.list({ type: 'text' })
  const [first] = channels
  if (first) await ctx.send(first.id, text)
}
