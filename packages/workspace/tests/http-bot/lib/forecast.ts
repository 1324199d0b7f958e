import { setTimeout as wait } from 'node:timers/promises'

interface Source {
  url: string
  key: string
  /** `ctx.signal`: aborts when the handler's time is over. */
  signal: AbortSignal
}

const ATTEMPTS = 3

/** Tries three times, one second each. A 4xx status is final: the same request would fail again. */
export async function forecast(city: string, { url, key, signal }: Source): Promise<string | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const response = await fetch(`${url}/forecast?city=${encodeURIComponent(city)}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(1000)]),
      })
      if (response.ok) return await response.text()
      await response.body?.cancel()
      if (response.status < 500) return undefined
    } catch {
      signal.throwIfAborted()
    }
    if (attempt < ATTEMPTS) await wait(100 * attempt, undefined, { signal })
  }
  return undefined
}
