import * as z from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { ErrorBody, WebhookErrorBody } from '../error-bodies.ts'
import { errorStatuses, webhookErrorCodes } from '../errors.ts'

/** JSON content with a zod schema of the table, which the build turns into JSON Schema. */
export const json = <S>(schema: S) => ({ content: { 'application/json': { schema } } })

type Refusal = ReturnType<typeof json<z.ZodType>> & {
  description: string
  headers?: { 'Retry-After': { description: string; schema: { type: 'integer' } } }
}

const slowDown = (description: string, body: z.ZodType): Refusal => ({
  description,
  ...json(body),
  headers: {
    'Retry-After': {
      description: 'Seconds to wait before retrying. Without this header, waiting does not help (§7).',
      schema: { type: 'integer' },
    },
  },
})

/** Statuses that §7 does not list: a body that is too large (decisions row 30), and failures of the service itself. */
const otherStatuses = {
  413: 'the body is too large',
  500: 'the service failed',
  503: 'the service cannot read or write its data right now, or is shutting down; see the message for the reason',
}

/** All error responses by name. */
export function refusals(): Record<string, Refusal> {
  const all: Record<string, Refusal> = {}
  for (const [status, description] of Object.entries(errorStatuses)) {
    all[`Refused${status}`] =
      status === '429' ? slowDown(description, ErrorBody) : { description, ...json<z.ZodType>(ErrorBody) }
  }
  for (const [status, description] of Object.entries(otherStatuses)) {
    all[`Refused${status}`] = { description, ...json<z.ZodType>(ErrorBody) }
    all[`WebhookRefused${status}`] = { description, ...json<z.ZodType>(WebhookErrorBody) }
  }
  for (const [code, { status, meaning }] of Object.entries(webhookErrorCodes)) {
    const before = all[`WebhookRefused${status}`]?.description
    const description = `${before === undefined ? '' : `${before}; `}${code} ${meaning}`
    all[`WebhookRefused${status}`] = { description, ...json<z.ZodType>(WebhookErrorBody) }
  }
  all['WebhookRefused429'] = slowDown('rate limited; retry after `retry_after` seconds', WebhookErrorBody)
  return all
}

/** Whether an endpoint looks up an id from its path or body. */
const looksUp = ({ path, body }: Endpoint): boolean =>
  path.includes('{') || (body instanceof z.ZodObject && Object.keys(body.shape).some((key) => key.endsWith('_id')))

/** The error responses of an endpoint: no 401 if it needs no header, no 404 if it looks nothing up. */
function refusalsOf(entry: Endpoint, always: readonly number[]): string[] {
  const webhook = entry.flag === 'channel_webhooks' && entry.auth === 'path_token'
  const takesBody = entry.body !== undefined || entry.upload !== undefined
  const statuses = new Set([403, 500, 503, ...always])
  if (!webhook || takesBody) statuses.add(400).add(429)
  if (webhook || entry.auth === 'bot') statuses.add(401)
  if (looksUp(entry)) statuses.add(404)
  if (takesBody) statuses.add(413)
  return [...statuses].map((status) => `${webhook ? 'WebhookRefused' : 'Refused'}${status}`)
}

type Answer = { description: string; content?: { 'application/json': { schema: z.ZodType } } } | { $ref: string }

/** The responses of an endpoint by status. A 204 comes in addition to the 200, which has the body. */
export function answersOf(entry: Endpoint, always: readonly number[] = []): Record<`${2 | 4 | 5}${string}`, Answer> {
  const ok: Answer = { description: 'Success.', ...(entry.response && json(entry.response)) }
  const answers: Record<`${2 | 4 | 5}${string}`, Answer> =
    entry.status === 204 ? { '200': ok, '204': { description: 'Success, without a body.' } } : { '200': ok }
  for (const name of refusalsOf(entry, always)) {
    answers[name.slice(-3) as '400'] = { $ref: `#/components/responses/${name}` }
  }
  return answers
}
