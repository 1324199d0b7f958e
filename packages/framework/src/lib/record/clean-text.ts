import { hideLearned } from '../learned-secrets.ts'

const HIDDEN = '[secret]'
const secretKeys = /^(token|secret|authorization|webhook_url)$/i

/** Secrets by their place in an address: of callbacks and of channel webhooks (§4). */
const addresses: readonly [RegExp, string][] = [
  [/(\/interactions\/[^/\s"]+\/)[^/\s"]+(\/callback)/g, `$1${HIDDEN}$2`],
  [/(\/webhooks\/[^/\s"]+\/)[^/\s"?\\]+/g, `$1${HIDDEN}`],
]

/** Writes what goes into the history: no secret of the bot, and nothing that is too long to be kept. */
export class CleanText {
  readonly #secrets: readonly string[]

  /** Very short texts are no secrets: they would stand in every line. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.length >= 6)
  }

  /** `also`: a secret of this text alone, such as a click's token. */
  text(text: string, also?: string): string {
    let clean = text
    for (const secret of also ? [...this.#secrets, also] : this.#secrets) {
      clean = clean.replaceAll(secret, HIDDEN)
      const written = JSON.stringify(secret).slice(1, -1)
      if (written !== secret) clean = clean.replaceAll(written, HIDDEN)
    }
    clean = hideLearned(clean, HIDDEN)
    for (const [pattern, replacement] of addresses) clean = clean.replace(pattern, replacement)
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
