import { ChannelWebhookPost, endpointsByName, explain, hasContent } from '@botwright/protocol'
import type { EndpointName } from '@botwright/protocol/shapes'
import type { RequestParts } from '@botwright/protocol/requests'
import { invalid } from './request.ts'

// The schemas of the table. Loading them takes longer than a bot's first poll, so this module is loaded by the first call that needs it.

/**
 * Throws `ERR_INVALID_REQUEST` with the field if the service would refuse the input. The request contains the caller's input, not the
 * schema's output: the service truncates, not the client (§2).
 */
export function checkInput(name: string, { params, query, body }: RequestParts): void {
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

/** Throws if the channel webhook would refuse the post. */
export function checkChannelWebhookPost(name: string, post: unknown): void {
  const checked = ChannelWebhookPost.safeParse(post)
  if (!checked.success) throw invalid(name, explain(checked.error))
}

const edits = new Set(['messages.update', 'interactions.callback'])

/** Whether an edit certainly empties the message (decisions row 42): an omitted field keeps its value, which only the service has. */
const leavesNothing = (body: { type?: unknown; content?: string | null; embeds?: unknown[] | null }): boolean =>
  (body.type === undefined || body.type === 'update') &&
  body.content !== undefined &&
  body.embeds !== undefined &&
  !hasContent(body)
