import { characters, limits } from '@botwright/protocol'
import { isLoopback } from '../event-webhooks/public-address.ts'

interface Made {
  method: string
  /** Includes `/v1`. */
  path: string
  /** The body as sent, before anything was cut. */
  sent: unknown
  status: number
  /** How long the click had waited, if this call is its first answer. */
  answeredInMs: number | undefined
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Warnings about a successful call: what the real service may reject, and what may not work as intended. */
export function callWarnings(call: Made): string[] {
  if (call.status >= 300) return []
  const sent = record(call.sent) ?? {}
  return [
    ...lateAnswer(call.answeredInMs),
    ...list(sent['embeds']).flatMap((embed, index) => embedWarnings(record(embed) ?? {}, `embeds[${index}]`)),
    ...commandWarnings(call, list(sent['commands']).length),
    ...(/^\/v1\/servers\/[^/]+\/voice/.test(call.path)
      ? [
          'Voice is in testing: the real service offers it on some servers only (flag bot_voice) and responds with 403 elsewhere.',
        ]
      : []),
  ]
}

function lateAnswer(waitedMs: number | undefined): string[] {
  const { answer_seconds } = limits.interaction
  if (waitedMs === undefined || waitedMs < answer_seconds * 1000) return []
  return [
    `The first answer came ${(waitedMs / 1000).toFixed(1)} s after the click. The clicker saw "This interaction failed" after ${answer_seconds} s. Send an ack first.`,
  ]
}

function commandWarnings({ method, path }: Made, count: number): string[] {
  const { cautious, max } = limits.commands
  if (method !== 'PUT' || path !== '/v1/commands' || count <= cautious) return []
  return [
    `${count} commands: the specification mentions both ${cautious} and ${max} as the limit, so the real service may reject this list.`,
  ]
}

const texts = [
  ['title', limits.embed_title.characters],
  ['description', limits.embed_description.characters],
] as const
const known = 'title url description color author fields thumbnail image footer timestamp'.split(' ')

/** Warnings about what is cut or ignored without an error (§2, Embed), and about pictures on this machine. */
function embedWarnings(embed: Record<string, unknown>, at: string): string[] {
  const cut = texts.flatMap(([field, max]) => {
    const value = embed[field]
    if (typeof value !== 'string' || characters(value) <= max) return []
    return [`${at}.${field} has ${characters(value)} characters and was cut to ${max}.`]
  })
  const fields = list(embed['fields']).length
  const most = limits.embed_fields.bot
  const dropped = fields > most ? [`${at}.fields: only the first ${most} of ${fields} are shown.`] : []
  const numbers = list(embed['fields']).flatMap((field, index) =>
    (['name', 'value'] as const)
      .filter((key) => typeof record(field)?.[key] === 'number')
      .map(
        (key) => `${at}.fields[${index}].${key} is a number. It is shown as text here; the real service may reject it.`,
      ),
  )
  const unknown = Object.keys(embed).filter((key) => !known.includes(key))
  const ignored = unknown.length > 0 ? [`${at}: unknown keys are ignored: ${unknown.join(', ')}.`] : []
  const pictures = [
    ['author.icon_url', record(embed['author'])?.['icon_url']],
    ['thumbnail.url', record(embed['thumbnail'])?.['url']],
    ['image.url', record(embed['image'])?.['url']],
    ['footer.icon_url', record(embed['footer'])?.['icon_url']],
  ] as const
  const local = pictures
    .filter(([, url]) => typeof url === 'string' && isLoopback(url))
    .map(
      ([field]) =>
        `${at}.${field} is an image on this machine. The real service requires https and an allowed host, and responds with 400.`,
    )
  return [...cut, ...dropped, ...numbers, ...ignored, ...local]
}
