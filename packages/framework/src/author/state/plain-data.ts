/** The first part of a value that JSON would omit or change, in words: `at is a Date`. Undefined if there is none. */
export const lostInJson = (value: unknown): string | undefined => lostAt(value, [], [])

function lostAt(value: unknown, path: readonly string[], inside: readonly object[]): string | undefined {
  const fact = (what: string) => `${path.length === 0 ? 'it' : path.join('.')} is ${what}`
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : fact(String(value))
  if (typeof value !== 'object') return fact(value === undefined ? 'undefined' : `a ${typeof value}`)
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if ((kind !== 'Object' && kind !== 'Array') || 'toJSON' in value)
    return fact(`a ${kind === 'Object' ? value.constructor.name : kind}`)
  // A cycle is reported by the code that writes it.
  if (inside.includes(value)) return undefined
  for (const [field, one] of Object.entries(value)) {
    // An undefined field counts as absent.
    if (one === undefined && kind === 'Object') continue
    const lost = lostAt(one, [...path, field], [...inside, value])
    if (lost !== undefined) return lost
  }
  return undefined
}
