import { errorCodes, limits } from '@botwright/protocol/facts'
import { redact, refusal, ServiceError } from './errors.ts'
import { json } from './read.ts'
import type { Answer } from './transport.ts'

/** The error of a call that the service refused, with facts about its input. */
export function refuse(
  name: string,
  input: Record<string, unknown>,
  { status, text: body }: Answer,
  { secrets, seconds, limit }: { secrets: readonly string[]; seconds: number | undefined; limit: string },
): ServiceError {
  const text = redact(errorText(body), secrets)
  if (name === 'interactions.callback' && status === 404) {
    const code = /expired/i.test(text) ? 'ERR_INTERACTION_EXPIRED' : 'ERR_INTERACTION_UNKNOWN'
    return new ServiceError(code, `${name}: ${errorCodes[code]}${text === '' ? '' : `: ${text}`}`, {
      status,
      endpoint: name,
    })
  }
  const error = refusal(name, status, text, seconds)
  if (seconds !== undefined)
    return new ServiceError(error.code, `${error.message}; wait ${seconds} s (${limit})`, {
      status,
      endpoint: name,
      retryAfterSeconds: seconds,
    })
  const count = name === 'commands.replace' && status === 400 ? (input['commands'] as unknown[]).length : 0
  if (count <= limits.commands.cautious) return error
  const why = `${count} commands were sent; the service documents both ${limits.commands.cautious} and ${limits.commands.max} as its limit, so try at most ${limits.commands.cautious}`
  return new ServiceError(error.code, `${error.message} (${why})`, { status, endpoint: name })
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
