import { ChannelWebhookEmbed, ChannelWebhookPost, explain, hasContent } from '@botwright/protocol'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Chat } from '../chat.ts'
import { isAllowedPicture } from '../content-rules.ts'
import { checkTexts, parseJson } from '../json-text.ts'
import { Refusal } from '../refusal.ts'
import { readJson, readStream } from '../request-body.ts'
import { isForm } from '../upload.ts'
import { refuseWebhook } from './webhook-refusal.ts'

type Loose = Record<string, unknown>
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The body of a post: JSON (§4), or the multipart form in which Discord's clients wrap the same JSON as `payload_json`. A file is refused
 * rather than lost: the interface has no place for one.
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
  if (file) throw new Refusal(400, `${file[0]}: a channel webhook takes no files; link the picture in an embed`)
  const json = form.get('payload_json')
  if (typeof json === 'string') return parseJson(json, 'payload_json:')
  const fields = Object.fromEntries(form)
  checkTexts(fields)
  return fields
}

/** A post as the contract takes it; refused with 50006 when it is empty, with 50035 when a field is wrong (§7). */
export function checkPost(chat: Chat, sent: unknown): z.output<typeof ChannelWebhookPost> {
  const post = withoutForeignPictures(chat, withoutNulls(sent))
  const { data, error } = ChannelWebhookPost.safeParse(post)
  if (data) return data
  // A content of the wrong type is a bad field, and so is anything beside it.
  const onlyMissing = error.issues.every(({ code, path }) => code === 'custom' && path[0] === 'content')
  const empty = onlyMissing && isObject(post) && !hasContent(post)
  throw refuseWebhook(empty ? 50006 : 50035, explain(error))
}

/**
 * The fields of a post that carry something and that the interface does not have: `components`, `embeds[0].video`. They are ignored, which
 * a client of Discord's interface does not expect.
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

/** Clients send `false`, 0, null or an empty list for what their author did not use. */
const carries = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** A post, its list of embeds, an embed, its list of fields, a field. */
const DEPTH = 5

/** Discord's clients send `null` for what they leave out, in embeds too. */
function withoutNulls(value: unknown, depth = DEPTH): unknown {
  if (depth === 0) return value
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, depth - 1))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each, depth - 1)]))
}

/** Pictures from other hosts are left out instead of failing (§4). */
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
