import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { ErrorBody, WebhookErrorBody } from './error-bodies.ts'
import { errorStatuses, webhookErrorCodes } from './errors.ts'

/** What the parts of the document hold: a schema of the table where OpenAPI wants JSON Schema. */
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
      description: 'Seconds to wait. A 429 without this header does not go away by waiting (§7).',
      schema: { type: 'integer' },
    },
  },
})

/** The refusals of §7 by name, each once; 413 is decisions row 30. */
export function refusals(): Record<string, Refusal> {
  const all: Record<string, Refusal> = {}
  for (const [status, description] of Object.entries(errorStatuses)) {
    all[`Refused${status}`] =
      status === '429' ? slowDown(description, ErrorBody) : { description, ...json<z.ZodType>(ErrorBody) }
  }
  all['Refused413'] = { description: 'the body is too large', ...json<z.ZodType>(ErrorBody) }
  for (const [code, { status, meaning }] of Object.entries(webhookErrorCodes)) {
    const before = all[`WebhookRefused${status}`]?.description
    const description = `${before === undefined ? '' : `${before}; `}${code} ${meaning}`
    all[`WebhookRefused${status}`] = { description, ...json<z.ZodType>(WebhookErrorBody) }
  }
  all['WebhookRefused429'] = slowDown('slow down; `retry_after` says how many seconds', WebhookErrorBody)
  return all
}

/** The refusals that an endpoint can answer with: no 401 where no header is sent, no 404 where nothing is named. */
function refusalsOf(entry: Endpoint): string[] {
  if (entry.flag === 'channel_webhooks' && entry.auth === 'path_token') {
    const statuses = entry.body === undefined ? [401, 403, 404] : [400, 401, 403, 404, 429]
    return statuses.map((status) => `WebhookRefused${status}`)
  }
  const statuses = entry.auth === 'bot' ? [400, 401, 403] : [400, 403]
  if (entry.path.includes('{')) statuses.push(404)
  if (entry.body !== undefined || entry.upload !== undefined) statuses.push(413)
  return [...statuses, 429].map((status) => `Refused${status}`)
}

type Answer = { description: string; content?: { 'application/json': { schema: z.ZodType } } } | { $ref: string }

/** Every answer of an endpoint by status. A 204 stands beside the 200 that carries the body. */
export function answersOf(entry: Endpoint): Record<`${2 | 4}${string}`, Answer> {
  const ok: Answer = { description: entry.summary, ...(entry.response && json(entry.response)) }
  const answers: Record<`${2 | 4}${string}`, Answer> =
    entry.status === 204 ? { '200': ok, '204': { description: 'Done; no body.' } } : { '200': ok }
  for (const name of refusalsOf(entry)) {
    answers[`4${name.slice(-2)}`] = { $ref: `#/components/responses/${name}` }
  }
  return answers
}
