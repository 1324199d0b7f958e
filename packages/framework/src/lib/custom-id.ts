import { BotwrightError, limits } from '@botwright/protocol/facts'
import { hasCode } from './error-code.ts'
import { Packed, packNumber, type ParamsOf, type ParamsShape } from './params/packing.ts'

/*
 * A `custom_id` (§2: at most 100 characters) is `<file>.<version>.<parameters>`, for a button without parameters just `<file>`.
 * Written by hand it may be `<file>` or `<file>:<anything>`.
 */

const VERSION_DIGITS = 4

/** The file that a `custom_id` belongs to, and what stands behind it. */
export function splitCustomId(id: string): { name: string; mark: '' | '.' | ':'; rest: string } {
  const at = id.search(/[.:]/)
  if (at < 0) return { name: id, mark: '', rest: '' }
  return { name: id.slice(0, at), mark: id.charAt(at) === '.' ? '.' : ':', rest: id.slice(at + 1) }
}

/** Changes with the parameters' names, kinds, bounds and order: a button of another version is never misread. */
export function versionOf(shape: ParamsShape): string {
  const signature = Object.entries(shape).map(([name, { packing }]) => `${name}=${packing.signature}`)
  // FNV-1a: four digits tell versions apart; they are no secret.
  let hash = 0x811c9dc5
  for (const character of signature.join(';'))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return packNumber(hash % 64 ** VERSION_DIGITS, VERSION_DIGITS)
}

/** Writes a `custom_id`. Throws `ERR_CUSTOM_ID`, naming the file and the parameter that does not fit. */
export function writeCustomId<S extends ParamsShape>(
  name: string,
  file: string,
  shape: S,
  params: ParamsOf<S>,
): string {
  let packed = ''
  for (const [key, { packing }] of Object.entries(shape)) {
    try {
      packed += packing.pack(params[key])
    } catch (error) {
      if (!hasCode(error, 'ERR_CUSTOM_ID')) throw error
      throw new BotwrightError('ERR_CUSTOM_ID', `${file}: the parameter ${key} ${error.message}`, { cause: error })
    }
  }
  return `${name}.${versionOf(shape)}.${packed}`
}

/** Reads the part behind the name; undefined when the button was made by another version of its file. */
export function readCustomId<S extends ParamsShape>(rest: string, shape: S): ParamsOf<S> | undefined {
  if (rest.slice(0, VERSION_DIGITS + 1) !== `${versionOf(shape)}.`) return undefined
  const from = new Packed(rest.slice(VERSION_DIGITS + 1))
  const params: Record<string, unknown> = {}
  try {
    for (const [key, { packing }] of Object.entries(shape)) params[key] = packing.unpack(from)
  } catch (error) {
    if (hasCode(error, 'ERR_CUSTOM_ID')) return undefined
    throw error
  }
  return from.atEnd ? (params as ParamsOf<S>) : undefined
}

/** What is wrong with a button's name and parameters, if anything: the longest `custom_id` must fit (§2). */
export function customIdProblem(name: string, shape: ParamsShape | undefined): string | undefined {
  const max = limits.button_custom_id.characters
  let longest = name.length
  if (shape) {
    longest += VERSION_DIGITS + 2
    for (const [key, param] of Object.entries(shape)) {
      if (typeof param?.packing?.pack !== 'function') {
        return `the parameter "${key}" must be made with uuid(), integer(), oneOf(), boolean() or text({ max })`
      }
      if (param.packing.widest === Infinity) return `the parameter "${key}" needs a greatest length: text({ max: 20 })`
      longest += param.packing.widest
    }
  }
  if (longest <= max) return undefined
  return `its custom_id can grow to ${longest} characters, and may have ${max} (§2); shorten the texts, the parameters or the file's name`
}
