import { BoundedMap } from '@botwright/protocol/facts'
import { markOfSecrets, secretFields, secretsInJson, secretVariable } from '@botwright/protocol/secret-names'
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
  [secretsInJson, `$1${HIDDEN}$2`],
]

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The forms that a secret takes in a line: exact, URL-encoded, escaped in JSON, and escaped in JSON that a line of JSON quotes. */
function formsOf(secret: string): string[] {
  // A lone surrogate cannot be URL-encoded.
  const inUrl = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret)
  return [...new Set([secret, inUrl, inJson(secret), inJson(inJson(secret))])]
}

/** Finds all forms of these secrets; undefined if there are none. */
function exactPattern(secrets: readonly (string | undefined)[]): RegExp | undefined {
  const long = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= SHORTEST_SECRET)
  // Of two forms with the same prefix, the longer one matches first.
  const forms = [...new Set(long.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (forms.length === 0) return undefined
  // One pattern for all takes a third of the time that ten patterns in a row take.
  return new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
}

/** Creates a function that removes every secret from a line before it leaves the process. */
export function createRedactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const exact = exactPattern(secrets)
  return (text) => {
    let clean = exact ? text.replace(exact, HIDDEN) : text
    clean = learned.ofBots.hide(learned.ofClicks.hide(clean))
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
    return clean
  }
}

/** The values of an environment whose names look secret, and the passwords in its URLs. */
export const secretsOfEnv = (env: Variables): string[] =>
  Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return []
    return secretVariable.test(name) ? [value, ...passwordsOf(value)] : passwordsOf(value)
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

/**
 * Secrets that arrive while the bot runs, found by the algorithm of Wu and Manber: the last `block` characters of a window determine
 * the distance to the next window. Most of a text is skipped, however many secrets there are.
 */
class LearnedSecrets {
  readonly #byLength = new BoundedMap<number, BoundedMap<string, true>>(256)
  /** How far each block is from the end of a secret's first `#shortest` characters. */
  readonly #shifts = new Uint8Array(BLOCKS)
  readonly #most: number
  readonly #block: 2 | 4
  #shortest = 0

  /** `block`: 2 is faster for few secrets, and 4 for many. */
  constructor(most: number, block: 2 | 4) {
    this.#most = most
    this.#block = block
  }

  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return
    for (const form of formsOf(secret)) {
      const same = this.#byLength.get(form.length) ?? new BoundedMap(this.#most)
      this.#byLength.set(form.length, same.set(form, true))
      if (this.#shortest === 0 || form.length < this.#shortest) this.#index(form.length)
      else this.#indexOne(form)
    }
  }

  /** Where the first secret after this position begins; -1 if there is none. */
  next(text: string, from: number): number {
    const window = this.#shortest
    if (window === 0) return -1
    const block = this.#block
    const lastBlock = window - block
    for (let at = from; at + window <= text.length;) {
      const shift = this.#shifts[blockAt(text, at + lastBlock, block)]!
      if (shift > 0) at += shift
      else if (this.#longestAt(text, at) > 0) return at
      else at++
    }
    return -1
  }

  hide(text: string): string {
    let clean = text
    for (let at = this.next(clean, 0); at !== -1; at = this.next(clean, at + HIDDEN.length))
      clean = clean.slice(0, at) + HIDDEN + clean.slice(at + this.#longestAt(clean, at))
    return clean
  }

  #index(shortest: number): void {
    this.#shortest = shortest
    this.#shifts.fill(Math.min(shortest - this.#block + 1, 255))
    for (const secrets of this.#byLength.values()) for (const form of secrets.keys()) this.#indexOne(form)
  }

  #indexOne(form: string): void {
    const last = this.#shortest - this.#block
    for (let at = Math.max(0, last - 255); at <= last; at++) {
      const block = blockAt(form, at, this.#block)
      this.#shifts[block] = Math.min(this.#shifts[block]!, last - at)
    }
  }

  #longestAt(text: string, at: number): number {
    let longest = 0
    for (const [length, secrets] of this.#byLength)
      if (length > longest && at + length <= text.length && secrets.has(text.slice(at, at + length))) longest = length
    return longest
  }
}

const BLOCKS = 65_536

/** A hash of the characters at a position. */
function blockAt(text: string, at: number, block: 2 | 4): number {
  const two = text.charCodeAt(at) * 256 + text.charCodeAt(at + 1)
  if (block === 2) return two % BLOCKS
  return (two * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3)) % BLOCKS
}

const learned = threadWide('learned secrets', () => ({
  // A click's token is valid for 15 minutes (§5).
  ofClicks: new LearnedSecrets(16_384, 4),
  ofBots: new LearnedSecrets(1024, 2),
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

/** A text without a match contains no match of `patterns`, and no JSON with secret fields. */
const suspects = [/\bBot\s|\/interactions\//, markOfSecrets]

/** Redacts values for the history. */
export class HistoryRedactor {
  readonly #redact: (text: string) => string
  readonly #exact: RegExp | undefined

  constructor(secrets: readonly string[]) {
    this.#redact = createRedactor(secrets)
    this.#exact = exactPattern(secrets)
  }

  /** Joins lines of JSON to one text without secrets and secret fields. Searches all of them at once, because few contain any. */
  lines(lines: readonly string[]): string {
    const text = lines.join('\n')
    if (this.#isClean(text)) return text
    return lines.map((line) => (this.#isClean(line) ? line : this.text(plainJson(JSON.parse(line))!))).join('\n')
  }

  #isClean(text: string): boolean {
    return (
      (!this.#exact || text.search(this.#exact) === -1) &&
      learned.ofBots.next(text, 0) === -1 &&
      learned.ofClicks.next(text, 0) === -1 &&
      !suspects.some((pattern) => pattern.test(text))
    )
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

/** Drops secret fields, and replaces uploads by their size. */
function withoutSecretFields(this: Record<string, unknown>, key: string, value: unknown): unknown {
  if (typeof value === 'string') return secretFields.includes(key.toLowerCase()) ? undefined : value
  const original = this[key]
  if (original instanceof Uint8Array) return `[${original.byteLength} bytes]`
  if (original instanceof Blob) return `[${original.size} bytes]`
  return value
}

/** Passes everything that is written to these streams through `filter`. Those of the process also print the output of its worker threads. */
export function filterOutput(
  streams: Record<'stdout' | 'stderr', NodeJS.WritableStream>,
  filter: (text: string) => string,
): void {
  const cleaned = (chunk: unknown): unknown => {
    if (typeof chunk === 'string') return filter(chunk)
    if (!(chunk instanceof Uint8Array)) return chunk
    const text = Buffer.from(chunk).toString()
    const clean = filter(text)
    return clean === text ? chunk : clean
  }
  for (const stream of [streams.stdout, streams.stderr]) {
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
