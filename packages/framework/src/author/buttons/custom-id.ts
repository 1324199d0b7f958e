import { BotwrightError, characters, limits } from '@botwright/protocol/facts'
import { hasCode } from '../error-code.ts'
import { Packed, packNumber, type ParamsOf, type ParamsShape } from '../params/packing.ts'

/*
 * A `custom_id` (§2: at most 100 characters) is `<file>.<version>.<parameters>`, for a button without parameters just `<file>`;
 * the key of spilled parameters is `~<key>`. Written by hand it may be `<file>` or `<file>:<anything>`.
 */

const VERSION_DIGITS = 4
/** Packed parameters never begin with it. */
const SPILLED = '~'
/** Marks the key of spilled parameters. */
const KEY_CHARACTERS = 22

/** The file of a `custom_id`, and the text after it. */
export function splitCustomId(id: string): { name: string; mark: '' | '.' | ':'; rest: string } {
  const at = id.search(/[.:]/)
  if (at < 0) return { name: id, mark: '', rest: '' }
  return { name: id.slice(0, at), mark: id.charAt(at) === '.' ? '.' : ':', rest: id.slice(at + 1) }
}

/** Changes with the names, kinds, bounds and order of the parameters: a button of another version is never misread. */
export function versionOf(shape: ParamsShape): string {
  const signature = Object.entries(shape).map(([name, { packing }]) => `${name}=${packing.signature}`)
  // FNV-1a: four digits distinguish versions; they need not be secret.
  let hash = 0x811c9dc5
  for (const character of signature.join(';'))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return packNumber(hash % 64 ** VERSION_DIGITS, VERSION_DIGITS)
}

/** Writes the parameters one after the other. Throws `ERR_CUSTOM_ID`, naming the file and the parameter that does not fit. */
export function packParams(file: string, shape: ParamsShape, params: Readonly<Record<string, unknown>>): string {
  let packed = ''
  for (const [key, { packing }] of Object.entries(shape)) {
    try {
      packed += packing.pack(params[key])
    } catch (error) {
      if (!hasCode(error, 'ERR_CUSTOM_ID')) throw error
      throw new BotwrightError('ERR_CUSTOM_ID', `${file}: the parameter ${key} ${error.message}`, { cause: error })
    }
  }
  return packed
}

/** Reads the output of `packParams`; undefined for anything else. */
export function unpackParams<S extends ParamsShape>(packed: string, shape: S): ParamsOf<S> | undefined {
  const from = new Packed(packed)
  const params: Record<string, unknown> = {}
  try {
    for (const [key, { packing }] of Object.entries(shape)) params[key] = packing.unpack(from)
  } catch (error) {
    if (hasCode(error, 'ERR_CUSTOM_ID')) return undefined
    throw error
  }
  return from.atEnd ? (params as ParamsOf<S>) : undefined
}

/** The `custom_id` of packed parameters. */
export const customIdOf = (name: string, shape: ParamsShape, packed: string): string =>
  `${name}.${versionOf(shape)}.${packed}`

/** The `custom_id` of parameters in the store under this key. */
export const spilledIdOf = (name: string, shape: ParamsShape, key: string): string =>
  customIdOf(name, shape, SPILLED + key)

/** The parts of a `custom_id` after the name; undefined if it has no version. */
export function readVersion(rest: string): { version: string; packed: string; spilled: boolean } | undefined {
  if (rest.charAt(VERSION_DIGITS) !== '.') return undefined
  const packed = rest.slice(VERSION_DIGITS + 1)
  return { version: rest.slice(0, VERSION_DIGITS), packed, spilled: packed.startsWith(SPILLED) }
}

/** Whether the parameters of a `custom_id` are in the store. */
export function isSpilledId(id: string): boolean {
  const { mark, rest } = splitCustomId(id)
  return mark === '.' && readVersion(rest)?.spilled === true
}

/** The problem with a button's name and parameters, if any: the longest `custom_id` must fit (§2). */
export function customIdProblem(name: string, shape: ParamsShape | undefined, spilled = false): string | undefined {
  const max = limits.button_custom_id.characters
  const wrong = shape && kindProblem(shape)
  if (wrong !== undefined) return wrong
  let longest = characters(name)
  if (shape) {
    longest += VERSION_DIGITS + 2
    if (spilled) longest += SPILLED.length + KEY_CHARACTERS
    else
      for (const [key, { packing }] of Object.entries(shape)) {
        if (packing.widest === Infinity) {
          return `the parameter "${key}" needs a maximum length, as in text({ max: 20 }); or keep the parameters in the store: spill: true`
        }
        longest += packing.widest
      }
  }
  if (longest <= max) return undefined
  const fact = `its custom_id can have ${longest} characters; the limit is ${max} (interface §2)`
  if (!shape || spilled) return `${fact}; shorten the file's name`
  return `${fact}: ${widths(shape)}; shorten them or the file's name, or keep the parameters in the store: spill: true`
}

/** The problem with the kinds of a shape, if any. */
export function kindProblem(shape: ParamsShape): string | undefined {
  for (const [key, param] of Object.entries(shape)) {
    // Names such as "1" and "__proto__" would change their order.
    if (!/^[a-z]\w*$/i.test(key)) return `the parameter "${key}" must be a word that begins with a letter`
    if (typeof param?.packing?.pack !== 'function')
      return `the parameter "${key}" must be created with uuid(), integer(), oneOf(), boolean(), text({ max }) or another kind that fits into a custom_id`
  }
  return undefined
}

const widths = (shape: ParamsShape): string =>
  Object.entries(shape)
    .map(([key, { packing }]) => `${key} ${packing.widest}`)
    .join(', ')
