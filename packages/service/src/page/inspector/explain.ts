import type { BotCall } from '../../people.ts'

/** What a refusal means for the real service, in plain words: it answers the same (§7). */
export function explainStatus({ status, path, answer, retry_after }: BotCall): string[] {
  if (status < 400) return []
  const callback = path.startsWith('/v1/interactions/')
  if (status === 400) return ['Bad input: the real service refuses it as well; the text says what is wrong.']
  if (status === 401) return ['Missing or wrong token: make a new one on the Developer screen if it is lost.']
  if (status === 403) return ['Not allowed: the bot is not in that server, or no role of it has the permission.']
  if (status === 404 && callback) return ['No such open interaction: its token is wrong, or 15 minutes are over.']
  if (status === 404 && answer === null) return ['No such path: it is not in the interface.']
  if (status === 404) return ['Not found, or the bot cannot see it: private channels have to let it in.']
  if (status === 405) return ['This method does not exist on this path.']
  if (status === 429 && retry_after === null) return ['Waiting does not help: this very call will not succeed.']
  if (status === 429) return [`Too fast: it may be sent again after ${retry_after} s.`]
  if (status === 413) return ['The body is too large.']
  return [`The service failed with ${status}: a fault that was switched on, or a defect of this service.`]
}
