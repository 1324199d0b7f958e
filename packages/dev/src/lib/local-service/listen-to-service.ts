import { setTimeout as sleep } from 'node:timers/promises'
import { limitedText, refusalOf } from './limited-body.ts'
import type { LocalService } from './local-service.ts'

const AGAIN_MS = 2000

/** A call of the side channel of the local service, with the token of the bot. Rejects with the answer of the service. */
export type ServiceCall = (path: string, init?: RequestInit) => Promise<unknown>

/** Calls the side channel again and again: `listen` makes one long poll and handles its result. */
export function listenToService(
  { baseUrl, token }: Pick<LocalService, 'baseUrl' | 'token'>,
  listen: (call: ServiceCall, signal: AbortSignal) => Promise<void>,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const call: ServiceCall = async (path, init) => {
    const headers = { authorization: `Bot ${token}`, 'content-type': 'application/json' }
    const response = await fetch(new URL(`/dev/v1${path}`, baseUrl), {
      ...init,
      headers,
      // A signal of its own: `fetch` listens to it until the garbage collector runs.
      signal: AbortSignal.any([signal]),
    })
    if (!response.ok) throw await refusalOf(response)
    return JSON.parse(await limitedText(response)) as unknown
  }
  const listening = (async () => {
    while (!signal.aborted) {
      // The service is being reset, or ends: the bot itself reports that.
      await listen(call, signal).catch(() => sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined))
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await listening
    },
  }
}
