import { ChannelWebhookPost, endpointsByName, explain, hasContent } from '@botwright/protocol'
import type { EndpointName } from '@botwright/protocol/shapes'
import { invalid, type Parts } from './request.ts'

// The schemas of the table. Loading them takes longer than a bot's first poll, so this module waits for the first call that needs it.

/**
 * Refuses what the service would refuse (`ERR_INVALID_REQUEST`, with the field). What is sent is what the caller gave, not what a
 * schema made of it: the service cuts, not the client (§2).
 */
export function checkInput(name: string, { params, query, body }: Parts): void {
  const entry = endpointsByName.get(name as EndpointName)!
  for (const [schema, part] of [
    [entry.params, params],
    [entry.query, query],
    [entry.body, body],
  ] as const) {
    const checked = schema?.safeParse(part)
    if (checked && !checked.success) throw invalid(name, explain(checked.error))
  }
  if (edits.has(name) && body && leavesNothing(body)) {
    throw invalid(name, 'content: a message needs content or embeds; this edit would leave neither')
  }
}

/** Refuses a post that the channel webhook would refuse. */
export function checkChannelWebhookPost(name: string, post: unknown): void {
  const checked = ChannelWebhookPost.safeParse(post)
  if (!checked.success) throw invalid(name, explain(checked.error))
}

const edits = new Set(['messages.update', 'interactions.callback'])

/** Whether an edit empties the message for certain (decisions row 42): what is left out keeps a value that only the service knows. */
const leavesNothing = (body: { type?: unknown; content?: string | null; embeds?: unknown[] | null }): boolean =>
  (body.type === undefined || body.type === 'update') &&
  body.content !== undefined &&
  body.embeds !== undefined &&
  !hasContent(body)
