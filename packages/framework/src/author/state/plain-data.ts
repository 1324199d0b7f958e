import { BotwrightError } from '@botwright/protocol/facts'

/** Data as it comes back from JSON: `never` for a part that JSON omits or changes, such as a method of a `Date`. */
export type PlainData<T> = T extends bigint | symbol | ((...given: never[]) => unknown)
  ? never
  : T extends object
    ? { [K in keyof T]: PlainData<T[K]> }
    : T

/** The first part of a value that JSON would omit or change, in words: `at is a Date`. Undefined if there is none. */
export function lostInJson(value: unknown): string | undefined {
  for (const lost of lostAt(value, [], [])) return lost
  return undefined
}

/** Every such part, in the order of the value. */
export const allLostInJson = (value: unknown): string[] => [...lostAt(value, [], [])]

function* lostAt(value: unknown, path: readonly string[], inside: readonly object[]): Generator<string, void> {
  const what = factAbout(value, inside)
  if (what !== undefined) yield `${path.length === 0 ? 'it' : path.join('.')} is ${what}`
  else if (typeof value === 'object' && value !== null) {
    // An empty place of a list is undefined too; an undefined field counts as absent.
    const fields = Array.isArray(value)
      ? Array.from<unknown>(value).entries()
      : Object.entries(value).filter(([, one]) => one !== undefined)
    for (const [field, one] of fields) yield* lostAt(one, [...path, String(field)], [...inside, value])
  }
}

/** The kind of a value that JSON would omit or change; undefined for others. `inside`: the objects that contain it. */
function factAbout(value: unknown, inside: readonly object[]): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`
  if (inside.includes(value)) return 'an object that contains itself'
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (kind === 'Array' || isPlainObject(value)) return undefined
  return withArticle(kind === 'Object' ? nameOf(value) : kind)
}

/** Its prototype is that of object literals, in whichever realm, or there is none. */
function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return (prototype === null || Object.getPrototypeOf(prototype) === null) && !('toJSON' in value)
}

const withArticle = (name: string): string => `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`
const nameOf = ({ constructor }: object): string => constructor?.name || 'class'

/** Throws `ERR_INVALID_REQUEST` for a value that JSON would change: the place, the part and the fix. */
export function checkPlain(value: unknown, at: string, fix: string): void {
  const lost = lostInJson(value)
  if (lost !== undefined)
    throw new BotwrightError('ERR_INVALID_REQUEST', `${at}: ${lost}, which JSON cannot store; ${fix}`)
}
