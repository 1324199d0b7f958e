/** Refuses a call: the status, the text of `{"error"}`, and headers (§7). */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** Runs in its own transaction after the rollback, to keep something: it counts content rule violations. */
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

/** A 429 that may be retried after a wait (§7). */
export const slowDown = (waitMs: number, text: string) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Refusal(429, `${text}; try again in ${seconds} s`, { headers: { 'retry-after': String(seconds) } })
}

export const notFound = (what: string) => new Refusal(404, `${what} not found`)
