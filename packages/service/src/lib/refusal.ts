/** A call that the service refuses: the status, the text of `{"error"}`, and its headers (§7). */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** Writes what stays although the call is undone, in a transaction of its own: a broken content rule is counted. */
  readonly record: (() => void) | undefined

  constructor(status: number, text: string, { headers = {}, record }: RefusalOptions = {}) {
    super(text)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
    this.record = record
  }
}

interface RefusalOptions {
  headers?: Record<string, string>
  record?: () => void
}

/** 429 that may be retried after a wait (§7). */
export const slowDown = (waitMs: number, text: string) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Refusal(429, `${text}; try again in ${seconds} s`, { headers: { 'retry-after': String(seconds) } })
}

export const notFound = (what: string) => new Refusal(404, `${what} not found`)
