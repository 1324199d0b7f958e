import type { Delivery } from '@botwright/events/event'
import { proofOfSender } from '@botwright/protocol/secret-names'
import type { JsonRequest, RouteWork } from './plain-request.ts'

/** The recording leaves out longer bodies. */
const LONGEST_BODY = 64 * 1024

/** The delivery of a request as it is recorded: without what proves its sender, with a short body, and without its queue. */
export function recordable({ event, attempt }: Delivery): Delivery {
  const { channel_id: _, request, ...work } = event.data as RouteWork & { request: JsonRequest }
  const { text, base64, ...head } = request
  const headers = Object.fromEntries(Object.entries(head.headers).filter(([name]) => !proofOfSender.test(name)))
  const isLong = (text ?? base64 ?? '').length > LONGEST_BODY
  const body = isLong ? {} : base64 === undefined ? bodyOf(text) : { base64 }
  const data = {
    ...work,
    request: { ...head, query: withoutProof(head.query), headers, ...body },
    ...(isLong && { isLong }),
  }
  return { attempt, event: { ...event, data } }
}

/** As JSON if it is an object, without its fields with secrets. */
function bodyOf(text = ''): Pick<JsonRequest, 'json' | 'text'> {
  if (!/^\s*[[{]/.test(text)) return { text: withoutProof(text) }
  try {
    const shown = (name: string, value: unknown) =>
      typeof value === 'string' && proofOfSender.test(name) ? undefined : value
    return { json: JSON.parse(text, shown) as unknown }
  } catch {
    return { text }
  }
}

/** A query, or a form. Other texts do not change. */
const withoutProof = (fields: string): string => fields.split('&').map(hidden).join('&')

function hidden(field: string): string {
  const name = field.slice(0, Math.max(0, field.indexOf('=')))
  return /^[\w.%[\]-]+$/.test(name) && proofOfSender.test(name) ? `${name}=[secret]` : field
}
