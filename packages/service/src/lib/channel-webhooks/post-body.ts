import { ChannelWebhookEmbed, ChannelWebhookPost, explain, hasContent } from '@botwright/protocol'
import type { Context } from 'hono'
import type * as z from 'zod'
import type { Chat } from '../chat.ts'
import { isAllowedPicture } from '../rules/content-rules.ts'
import { checkTexts, parseJson } from '../http/json-text.ts'
import { Refusal } from '../refusal.ts'
import { readJson, readStream } from '../http/request-body.ts'
import { formText, isForm } from '../http/upload-body.ts'
import { refuseWebhook } from './webhook-refusal.ts'

type Loose = Record<string, unknown>
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the body of a post: JSON (§4), or the multipart form in which Discord's clients wrap the same JSON as `payload_json`. Files are
 * refused instead of silently dropped: the interface does not support them.
 */
export async function readPost(context: Context, maxBytes: number): Promise<unknown> {
  if (!isForm(context)) return readJson(context, maxBytes)
  const bytes = await readStream(context, maxBytes)
  let form: FormData
  try {
    form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': context.req.header('content-type')! },
    }).formData()
  } catch {
    throw new Refusal(400, 'the body is not multipart/form-data')
  }
  const file = [...form].find(([, value]) => typeof value !== 'string')
  if (file) throw new Refusal(400, `${file[0]}: channel webhooks do not accept files; link the image in an embed`)
  const json = form.get('payload_json')
  if (typeof json === 'string') return parseJson(json, 'payload_json:')
  const fields = Object.fromEntries([...form].map(([name, value]) => [name, formText(value as string)]))
  checkTexts(fields)
  return fields
}

/** Validates a post; refuses empty ones with 50006 and invalid fields with 50035 (§7). */
export function checkPost(chat: Chat, sent: unknown): z.output<typeof ChannelWebhookPost> {
  const post = withoutForeignPictures(chat, withoutNulls(sent))
  const { data, error } = ChannelWebhookPost.safeParse(post)
  if (data) return data
  // A content of the wrong type counts as a bad field, not as an empty message.
  const onlyMissing = error.issues.every(({ code, path }) => code === 'custom' && path[0] === 'content')
  const empty = onlyMissing && isObject(post) && !hasContent(post)
  throw refuseWebhook(empty ? 50006 : 50035, explain(error))
}

/**
 * The non-empty fields of a post that the interface does not have, such as `components` or `embeds[0].video`. They are ignored, which
 * clients of Discord's API do not expect.
 */
export function ignoredFields(sent: unknown): string[] {
  if (!isObject(sent)) return []
  const embeds = Array.isArray(sent['embeds']) ? (sent['embeds'] as unknown[]) : []
  return [
    ...unknownKeys(sent, ChannelWebhookPost.shape),
    ...embeds.flatMap((embed, index) =>
      isObject(embed) ? unknownKeys(embed, ChannelWebhookEmbed.shape).map((key) => `embeds[${index}].${key}`) : [],
    ),
  ]
}

const unknownKeys = (value: Loose, known: object): string[] =>
  Object.keys(value).filter((key) => !Object.hasOwn(known, key) && carries(value[key]))

/** Whether a value is non-empty: clients send `false`, 0, null or an empty list for unused fields. */
const carries = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** The levels: a post, its list of embeds, an embed, its list of fields, a field. */
const DEPTH = 5

/** Removes nulls: Discord's clients send `null` for omitted fields, also in embeds. */
function withoutNulls(value: unknown, depth = DEPTH): unknown {
  if (depth === 0) return value
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, depth - 1))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each, depth - 1)]))
}

/** Removes pictures from other hosts, instead of refusing the post (§4). */
function withoutForeignPictures(chat: Chat, post: unknown): unknown {
  if (!isObject(post)) return post
  const foreign = (url: unknown) => typeof url === 'string' && !isAllowedPicture(chat, url)
  const without = (value: Loose, key: string, isForeign: (part: unknown) => boolean) =>
    isForeign(value[key]) ? Object.fromEntries(Object.entries(value).filter(([each]) => each !== key)) : value
  const withoutIcon = (part: unknown) => (isObject(part) ? without(part, 'icon_url', foreign) : part)
  const plain = (embed: unknown) => {
    if (!isObject(embed)) return embed
    const foreignPicture = (part: unknown) => isObject(part) && foreign(part['url'])
    const shown = without(without(embed, 'thumbnail', foreignPicture), 'image', foreignPicture)
    return {
      ...shown,
      ...('author' in shown && { author: withoutIcon(shown['author']) }),
      ...('footer' in shown && { footer: withoutIcon(shown['footer']) }),
    }
  }
  const { embeds } = post
  return {
    ...without(post, 'avatar_url', foreign),
    ...(Array.isArray(embeds) && { embeds: embeds.map(plain) }),
  }
}
