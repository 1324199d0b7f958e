import * as z from 'zod'
import { cutText, Link, Time } from './fields.ts'
import { characters, colorMax, colorPattern, colorRule } from '../text/text.ts'
import { limits } from '../limits.ts'

const Picture = z.object({ url: Link })

const notAColor = { error: colorRule }
// Each member has the message too: a union passes on the message of the closest member.
const Color = z.union(
  [z.string().regex(colorPattern, notAColor), z.int(notAColor).min(0, notAColor).max(colorMax, notAColor)],
  notAColor,
)

/** Text, or a number that is converted to text: §2 gives no type, and log transports send numbers (decision 8). */
const FieldText = z
  .preprocess(
    (value: string) => {
      const given: unknown = value
      return typeof given === 'number' && Number.isFinite(given) ? String(given) : given
    },
    z.string({ error: ({ input }) => (input === undefined ? undefined : 'must be a string or a number') }),
  )
  .meta({ description: 'numbers are converted to text' })

const embed = (fields: number) =>
  z.object({
    title: cutText(limits.embed_title.characters).optional(),
    url: Link.optional(),
    description: cutText(limits.embed_description.characters).optional(),
    color: Color.optional(),
    author: z.object({ name: z.string(), icon_url: Link.optional() }).optional(),
    fields: z
      .array(z.object({ name: FieldText, value: FieldText, inline: z.boolean().optional() }))
      .overwrite((all) => all.slice(0, fields))
      .meta({ description: `only the first ${fields} are kept` })
      .optional(),
    thumbnail: Picture.optional(),
    image: Picture.optional(),
    footer: z.object({ text: z.string(), icon_url: Link.optional() }).optional(),
    timestamp: Time.optional(),
  })

/** An embed in a message (§2, Embed). Unknown keys are ignored, long texts are cut, extra fields are dropped. */
export const Embed = embed(limits.embed_fields.bot)
export type Embed = z.input<typeof Embed>

/** The embed of a channel webhook: like `Embed`, with more fields (§4, Channel webhooks). */
export const ChannelWebhookEmbed = embed(limits.embed_fields.channel_webhook)
export type ChannelWebhookEmbed = z.input<typeof ChannelWebhookEmbed>

/** The number of characters of an embed that count towards the total of a message. */
export function embedCharacters(one: Embed): number {
  const texts = [one.title, one.description, one.author?.name, one.footer?.text]
  for (const field of one.fields ?? []) texts.push(field.name, field.value)
  return texts.reduce((sum, part) => sum + (part === undefined ? 0 : characters(part)), 0)
}

/** The picture URLs of an embed, with their fields; the service checks their hosts (§2). */
export function embedPictures(one: Embed): { field: string; url: string }[] {
  const found = [
    { field: 'author.icon_url', url: one.author?.icon_url },
    { field: 'thumbnail.url', url: one.thumbnail?.url },
    { field: 'image.url', url: one.image?.url },
    { field: 'footer.icon_url', url: one.footer?.icon_url },
  ]
  return found.filter((entry): entry is { field: string; url: string } => entry.url !== undefined)
}

const list = <T extends typeof Embed>(one: T, max: number) =>
  z
    .array(one)
    .max(max, { error: `must be at most ${max} embeds` })
    .refine((all) => all.reduce((sum, each) => sum + embedCharacters(each), 0) <= limits.embed_total.characters, {
      error: `must be at most ${limits.embed_total.characters} characters in all embeds together`,
    })
    .meta({
      description: `at most ${limits.embed_total.characters} characters in all embeds together, counted after cutting`,
    })

/** The embeds of one message of a bot. */
export const Embeds = list(Embed, limits.embeds_per_message.bot)
/** The embeds of one post of a channel webhook. */
export const ChannelWebhookEmbeds = list(ChannelWebhookEmbed, limits.embeds_per_message.channel_webhook)
