import { errorCodes, limits } from '@botwright/protocol/facts'
import { redact, refusal, ServiceError } from './errors.ts'
import { json } from './read.ts'
import type { Plan } from './request.ts'
import type { Answer } from './connection/exchange.ts'

/** The error of a call that the service refused, with facts about its input. */
export function refuse(
  plan: Plan,
  input: Record<string, unknown>,
  { status, text: body }: Answer,
  { secrets, seconds }: { secrets: readonly string[]; seconds: number | undefined },
): ServiceError {
  const { name } = plan
  const text = redact(errorText(body), secrets)
  if (name === 'interactions.callback' && status === 404 && !isAboutMessage(input, text)) {
    const code = /expired/i.test(text) ? 'ERR_INTERACTION_EXPIRED' : 'ERR_INTERACTION_UNKNOWN'
    return new ServiceError(code, `${name}: ${errorCodes[code]}${text === '' ? '' : `: ${text}`}`, {
      status,
      endpoint: name,
    })
  }
  const error = refusal(name, status, text, seconds)
  if (seconds !== undefined)
    return new ServiceError(error.code, `${error.message} (${limitOf(plan)}, ${seconds} s)`, {
      status,
      endpoint: name,
      retryAfterSeconds: seconds,
    })
  const count = name === 'commands.replace' && status === 400 ? (input['commands'] as unknown[]).length : 0
  if (count <= limits.commands.cautious) return error
  const why = `${count} commands were sent; the service documents both ${limits.commands.cautious} and ${limits.commands.max} as its limit, so try at most ${limits.commands.cautious}`
  return new ServiceError(error.code, `${error.message} (${why})`, { status, endpoint: name })
}

/** Whether the clicked message of an `update` is gone (decisions row 49). The click can still be answered in other ways. */
const isAboutMessage = ({ type }: Record<string, unknown>, text: string): boolean =>
  type === 'update' && /message/i.test(text) && !/interaction|expired/i.test(text)

/** The limit that a 429 with `Retry-After` is about (decisions row 50): the message budget is counted here, so it is another one. */
export function limitOf({ name, route }: Plan): string {
  if (name === 'messages.create') return 'slow mode of this channel'
  const [, noun = 'endpoint'] = /^(.+)_id$/.exec(route.params[0] ?? '') ?? []
  return `a limit of this ${noun}`
}

/** The service's own message in a refusal (§7); an HTML page has none. */
function errorText(text: string): string {
  try {
    const { error } = (json(text) ?? {}) as { error?: unknown }
    return typeof error === 'string' ? error : ''
  } catch {
    return ''
  }
}

/** The error of a call that has waited for earlier ones for too long. */
export const behind = (plan: Plan, seconds: number): ServiceError =>
  new ServiceError(
    'ERR_RATE_LIMITED',
    `${plan.name}: not sent: it waited ${seconds} s for earlier calls under ${limitOf(plan)}, and may wait no longer`,
    { status: 0, endpoint: plan.name, retryAfterSeconds: 1 },
  )

/** The error of a call that would have to wait too long for a place that the service asked to wait for. */
export const held = (plan: Plan, seconds: number): ServiceError =>
  new ServiceError(
    'ERR_RATE_LIMITED',
    `${plan.name}: not sent: the service asked to wait, and ${seconds} s are left (${limitOf(plan)})`,
    { status: 429, endpoint: plan.name, retryAfterSeconds: seconds },
  )
