/** Lines of a configuration are longer only if a single value is. */
export const LINE = 90

/** Plain data as TypeScript, on one line if it is short. `indent` is that of the line which it begins on. */
export function literal(value: unknown, indent = '', used = 0): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = (inner: string): string[] =>
    Array.isArray(value)
      ? value.map((one) => literal(one, inner))
      : Object.entries(value).map(([key, one]) => `${keyText(key)}: ${literal(one, inner, key.length + 2)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const all = parts(inner)
  if (all.length === 0) return open + close
  const space = Array.isArray(value) ? '' : ' '
  const line = `${open}${space}${all.join(', ')}${space}${close}`
  if (indent.length + used + line.length <= LINE && !line.includes('\n')) return line
  return `${open}\n${all.map((one) => `${inner}${one},\n`).join('')}${indent}${close}`
}

/** The key of a property. In brackets, `__proto__` is an ordinary one. */
export const keyText = (key: string): string =>
  key === '__proto__' ? `['${key}']` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key)

/** In the quotes of the formatter, with the escapes of JSON. */
const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
