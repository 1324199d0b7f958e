import { BoundedMap } from '@botwright/protocol/facts'
import type { Variables } from '../author/env-schema.ts'

/** The replacement for a secret. */
const HIDDEN = '[secret]'

/** Shorter values are not hidden: they would match half of every line. No service issues tokens this short. */
const SHORTEST_SECRET = 6
/** A declared value may be an ordinary word, so it has to be longer. */
const SHORTEST_DECLARED = 8

/** Secrets by their position: tokens in headers, and in the paths of callbacks and channel webhooks (§5). */
const patterns: readonly [RegExp, string][] = [
  [/\bBot\s+[A-Za-z0-9._~+/=-]{8,}/g, `Bot ${HIDDEN}`],
  [/(\/interactions\/[^/\s"]+\/)[^/\s"]+(\/callback)/g, `$1${HIDDEN}$2`],
  // Also inside another URL.
  [/((?:\/|%(?:25)*2F)webhooks(?:\/|%(?:25)*2F)[^/\s"%]+(?:\/|%(?:25)*2F))[^/\s"'`?\\%]+/gi, `$1${HIDDEN}`],
  [/("(?:token|secret|authorization)":")(?:[^"\\]|\\.)+(")/gi, `$1${HIDDEN}$2`],
]

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The forms that a secret takes in a line: exact, URL-encoded, escaped in JSON, and escaped in JSON that a line of JSON quotes. */
function formsOf(secret: string): string[] {
  // A lone surrogate cannot be URL-encoded.
  const inUrl = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret)
  return [...new Set([secret, inUrl, inJson(secret), inJson(inJson(secret))])]
}

/** Creates a function that removes every secret from a line before it leaves the process. */
export function createRedactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const long = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= SHORTEST_SECRET)
  // Of two forms with the same prefix, the longer one matches first.
  const forms = [...new Set(long.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  // One pattern for all takes a third of the time that ten patterns in a row take.
  const exact = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
  return (text) => {
    let clean = forms.length > 0 ? text.replace(exact, HIDDEN) : text
    clean = learned.ofBots.hide(learned.ofClicks.hide(clean))
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
    return clean
  }
}

/** Names of variables that hold secrets. */
const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|WEBHOOK|KEYS?(?:$|_)|(?:^|_)PASS(?:$|_)|_PWD$/i

/** The values of an environment whose names look secret, and the passwords in its URLs. */
export const secretsOfEnv = (env: Variables): string[] =>
  Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return []
    return secretName.test(name) ? [value, ...passwordsOf(value)] : passwordsOf(value)
  })

/** All values of an environment that the log hides: the declared ones (`names`), and those of `secretsOfEnv`. */
export const hiddenValues = (names: readonly string[] = [], variables: Variables): string[] => [
  ...names.map((name) => variables[name] ?? '').filter(({ length }) => length >= SHORTEST_DECLARED),
  ...secretsOfEnv(variables),
]

/** The password of a URL, encoded and decoded; an empty array if it has none. */
export function passwordsOf(url: string | undefined): string[] {
  const password = url !== undefined && URL.canParse(url) ? new URL(url).password : ''
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** Secrets that arrive while the bot runs. A position of a text is looked up only if it begins like one of them. */
class LearnedSecrets {
  readonly #byLength = new BoundedMap<number, BoundedMap<string, true>>(256)
  readonly #beginnings = new Uint8Array(BEGINNINGS)
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return
    for (const form of formsOf(secret)) {
      const same = this.#byLength.get(form.length) ?? new BoundedMap(this.#most)
      this.#byLength.set(form.length, same.set(form, true))
      this.#beginnings[beginningAt(form, 0)] = 1
    }
  }

  hide(text: string): string {
    let clean = text
    if (this.#byLength.size === 0) return clean
    for (let at = 0; at + SHORTEST_SECRET <= clean.length; at++) {
      if (this.#beginnings[beginningAt(clean, at)] === 0) continue
      const length = this.#longestAt(clean, at)
      if (length > 0) clean = clean.slice(0, at) + HIDDEN + clean.slice(at + length)
    }
    return clean
  }

  #longestAt(text: string, at: number): number {
    let longest = 0
    for (const [length, secrets] of this.#byLength)
      if (length > longest && at + length <= text.length && secrets.has(text.slice(at, at + length))) longest = length
    return longest
  }
}

const BEGINNINGS = 65_536

/** A hash of the four characters at a position. */
const beginningAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 961 +
    text.charCodeAt(at + 2) * 31 +
    text.charCodeAt(at + 3)) %
  BEGINNINGS

const learned = threadWide('learned secrets', () => ({
  // A click's token is valid for 15 minutes (§5).
  ofClicks: new LearnedSecrets(16_384),
  ofBots: new LearnedSecrets(1024),
  forward: undefined as ((secret: string) => void) | undefined,
}))

/** Forwards the secrets that a worker learns to the main thread, which writes the log. */
export const forwardSecrets = (to: (secret: string) => void): void => void (learned.forward = to)

/** Hides texts from every line that this process writes from now on: a token, a secret, the last part of a channel webhook's URL. */
export function hideFromNow(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === undefined) continue
    learned.ofBots.add(secret)
    learned.forward?.(secret)
  }
}

/** Hides the token of a click that has arrived. */
export function hideTokenOf({ type, data }: { type: string; data: Readonly<Record<string, unknown>> }): void {
  if (type === 'interaction' && typeof data['token'] === 'string') learned.ofClicks.add(data['token'])
}

/** Redacts values for the history. */
export class HistoryRedactor {
  readonly #redact: (text: string) => string

  constructor(secrets: readonly string[]) {
    this.#redact = createRedactor(secrets)
  }

  /** `also`: a secret of this text only, such as a click's token. */
  text(text: string, also?: string): string {
    let clean = this.#redact(text)
    for (const form of also ? formsOf(also) : []) clean = clean.replaceAll(form, HIDDEN)
    return clean
  }

  /** The JSON of a value; undefined if it is longer than `most` characters or is not JSON. */
  json(value: unknown, most: number, also?: string): string | undefined {
    const text = plainJson(value)
    return text === undefined || text.length > most ? undefined : this.text(text, also)
  }
}

/** The JSON of a value without secret fields; undefined if it has none. */
export function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, withoutSecretFields)
  } catch {
    return undefined
  }
}

const secretFields = /^(token|secret|authorization|webhook_url)$/i

/** Drops secret fields, and replaces uploads by their size. */
function withoutSecretFields(this: Record<string, unknown>, key: string, value: unknown): unknown {
  if (typeof value === 'string') return secretFields.test(key) ? undefined : value
  const original = this[key]
  if (original instanceof Uint8Array) return `[${original.byteLength} bytes]`
  if (original instanceof Blob) return `[${original.size} bytes]`
  return value
}

/** Passes everything that the process prints through `filter`, including the output of its worker threads. */
export function filterOutput(filter: (text: string) => string): void {
  const cleaned = (chunk: unknown): unknown => {
    if (typeof chunk === 'string') return filter(chunk)
    if (!(chunk instanceof Uint8Array)) return chunk
    const text = Buffer.from(chunk).toString()
    const clean = filter(text)
    return clean === text ? chunk : clean
  }
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
    stream.write = (chunk: unknown, ...rest: unknown[]) => write(cleaned(chunk), ...rest)
  }
}

/**
 * Returns one value per thread, even if several copies of this package are loaded: `framework start` runs from its own bundle, and a
 * bot's configuration imports another copy.
 */
export function threadWide<T>(name: string, make: () => T): T {
  const values = globalThis as unknown as Record<symbol, T | undefined>
  return (values[Symbol.for(`botwright.${name}`)] ??= make())
}
