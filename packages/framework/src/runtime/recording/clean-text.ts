import { formsOf } from '../../link/secrets/secret-forms.ts'
import { createRedactor, HIDDEN } from '../../link/secrets/log-redact.ts'

const secretKeys = /^(token|secret|authorization|webhook_url)$/i

/** Writes what goes into the history: no secret of the bot, and nothing that is too long to be kept. */
export class CleanText {
  readonly #redact: (text: string) => string

  constructor(secrets: readonly string[]) {
    this.#redact = createRedactor(secrets)
  }

  /** `also`: a secret of this text alone, such as a click's token. */
  text(text: string, also?: string): string {
    let clean = this.#redact(text)
    for (const form of also ? formsOf(also) : []) clean = clean.replaceAll(form, HIDDEN)
    return clean
  }

  /** The JSON of a value; undefined when it is longer than `most` characters, or is not JSON. */
  json(value: unknown, most: number, also?: string): string | undefined {
    let text: string | undefined
    try {
      text = JSON.stringify(value, plain)
    } catch {
      return undefined
    }
    return text === undefined || text.length > most ? undefined : this.text(text, also)
  }
}

/** Leaves secrets out by their names; of uploads only the size is told. */
function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
  if (typeof value === 'string') return secretKeys.test(key) ? undefined : value
  const held = this[key]
  if (held instanceof Uint8Array) return `[${held.byteLength} bytes]`
  if (held instanceof Blob) return `[${held.size} bytes]`
  return value
}
