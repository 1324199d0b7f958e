import type { Param, ParamsShape } from './packing.ts'

/**
 * The TypeScript types of a button's parameters, as texts for `.framework/types.d.ts`. The name of an
 * optional one ends in `?`.
 */
export function paramTypes(shape: ParamsShape | undefined): Record<string, string> | undefined {
  const own = Object.entries(shape ?? {}).filter(([, { packing }]) => !packing.isInternal)
  if (own.length === 0) return undefined
  return Object.fromEntries(
    own.map(([name, param]) => [mayMiss(param) ? `${name}?` : name, typeOf(param.packing.signature)]),
  )
}

/** It is optional, or has a default. */
function mayMiss({ packing }: Param<unknown>): boolean {
  try {
    packing.pack(undefined)
    return true
  } catch {
    return false
  }
}

const simple: readonly (readonly [string, string])[] = [
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['uuid', 'string'],
  ['text', 'string'],
  ['date', 'Date'],
]

/** A packing's signature begins with its kind. */
function typeOf(signature: string): string {
  const [, item] = /^list[^(]*\((.*)\)\??$/.exec(signature) ?? []
  if (item !== undefined) return `readonly (${typeOf(item)})[]`
  const [, words] = /^oneOf(\[.*\])\??$/.exec(signature) ?? []
  if (words !== undefined) return (JSON.parse(words) as string[]).map((word) => JSON.stringify(word)).join(' | ')
  // A kind that this table does not know accepts any value here, which is checked when it is packed.
  return simple.find(([kind]) => signature.startsWith(kind))?.[1] ?? 'unknown'
}
