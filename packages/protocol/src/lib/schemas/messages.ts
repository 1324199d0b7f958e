import * as z from 'zod'
import { Components } from './components.ts'
import { ChannelWebhookEmbeds, Embeds } from './embed.ts'
import { Id, Link, nameText, text } from './fields.ts'
import { limits } from '../limits.ts'
import { hasContent } from '../text/text.ts'

const Content = text(limits.message_content.characters)

const needsContent = { error: 'a message needs content or embeds', path: ['content'] }

/** The body of a new message (§4, Messages). */
export const MessageCreate = z
  .object({
    content: Content.optional(),
    reply_to: Id.optional(),
    embeds: Embeds.optional(),
    components: Components.optional(),
  })
  .refine(hasContent, needsContent)
  .meta({ description: 'content or embeds is required' })
export type MessageCreate = z.input<typeof MessageCreate>

/** The body of an edit: omitted keys keep their value, `null` removes embeds or components (§4, Messages). */
export const MessageEdit = z.object({
  content: Content.optional(),
  embeds: Embeds.nullable().optional(),
  components: Components.nullable().optional(),
})
export type MessageEdit = z.input<typeof MessageEdit>

const noComponents = z.never({ error: 'only reply and update can have components' }).optional()

/** The four answers to a click (§4, Callback). An `update` keeps omitted parts and removes those that are `null`. */
export const Callback = z.discriminatedUnion(
  'type',
  [
    z
      .object({
        type: z.literal('reply'),
        content: Content.nullable().optional(),
        embeds: Embeds.nullable().optional(),
        components: Components.nullable().optional(),
      })
      .refine(hasContent, needsContent),
    z
      .object({
        type: z.literal('ephemeral'),
        content: Content.nullable().optional(),
        embeds: Embeds.nullable().optional(),
        components: noComponents,
      })
      .refine(hasContent, needsContent),
    z.object({
      type: z.literal('update'),
      content: Content.nullable().optional(),
      embeds: Embeds.nullable().optional(),
      components: Components.nullable().optional(),
    }),
    z.object({ type: z.literal('ack'), components: noComponents }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be reply, ack, ephemeral or update' : undefined) },
)
export type Callback = z.input<typeof Callback>

/** The body of a post to a channel webhook (§4, Channel webhooks). */
export const ChannelWebhookPost = z
  .object({
    content: Content.nullable().optional(),
    username: nameText(limits.channel_webhook_username.characters).nullable().optional(),
    avatar_url: Link.nullable().optional(),
    embeds: ChannelWebhookEmbeds.nullable().optional(),
    allowed_mentions: z
      .object({
        parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
        users: z.array(Id).optional(),
        roles: z.array(Id).optional(),
      })
      .optional(),
  })
  .refine(hasContent, needsContent)
  .meta({ description: 'content or embeds is required' })
export type ChannelWebhookPost = z.input<typeof ChannelWebhookPost>
