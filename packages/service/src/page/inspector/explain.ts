import type { BotCall } from '../../people.ts'

/** Explains a refusal in plain words; the real service responds the same way (§7). */
export function explainStatus({ status, path, answer, retry_after }: BotCall): string[] {
  if (status < 400) return []
  const callback = path.startsWith('/v1/interactions/')
  if (status === 400) return ['Invalid input. The real service rejects it, too; see the error text.']
  if (status === 401) return ['Missing or wrong token. If you lost it, generate a new one on the Developer screen.']
  if (status === 403) return ['Not allowed: the bot is not in that server, or none of its roles has the permission.']
  if (status === 404 && callback)
    return ['No open interaction: the token is wrong, or the interaction expired after 15 minutes.']
  if (status === 404 && answer === null) return ['Unknown path: the bot interface has no such endpoint.']
  if (status === 404)
    return ['Not found or not visible to the bot. In a private channel, the bot or one of its roles must have access.']
  if (status === 405) return ['This path does not support this method.']
  if (status === 429 && retry_after === null) return ['Do not retry: this call will not succeed after a wait.']
  if (status === 429) return [`Rate limited: retry after ${retry_after} s.`]
  if (status === 413) return ['The body is too large.']
  return [`The service failed with status ${status}: either an injected fault or a bug in the local service.`]
}
