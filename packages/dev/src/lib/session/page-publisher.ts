import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** Sends values to the local service for its page, one call after the other. The page works without them, so an error is a warning. */
export function pagePublisher(
  { baseUrl, token }: Pick<LocalService, 'baseUrl' | 'token'>,
  path: string,
  warn: (reason: string) => void,
): (work: (send: (body: object) => Promise<void>) => Promise<void>) => void {
  const url = new URL(`/dev/v1${path}`, baseUrl)
  const send = async (body: object) => {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw await refusalOf(response)
    await response.body?.cancel()
  }
  let last: Promise<void> = Promise.resolve()
  return (work) => {
    last = last.then(() => work(send)).catch((error: unknown) => warn((error as Error).message))
  }
}
