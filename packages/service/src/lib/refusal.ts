/** A call that the service refuses: the status, the text of `{"error"}`, and its headers (§7). */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** Whether what the call wrote stays: a broken content rule is counted although the call is refused. */
  readonly commits: boolean

  constructor(status: number, text: string, { headers = {}, commits = false }: RefusalOptions = {}) {
    super(text)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
    this.commits = commits
  }
}

interface RefusalOptions {
  headers?: Record<string, string>
  commits?: boolean
}

/** 429 that may be retried after a wait (§7). */
export const slowDown = (waitMs: number, text: string) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Refusal(429, `${text}; try again in ${seconds} s`, { headers: { 'retry-after': String(seconds) } })
}

export const notFound = (what: string) => new Refusal(404, `${what} not found`)
