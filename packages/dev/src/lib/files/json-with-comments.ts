/** Parses the JSON of TypeScript's settings, which may contain comments and trailing commas. Throws a `SyntaxError`. */
export function parseJsonWithComments(text: string): unknown {
  let plain = ''
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length;) {
    const end = endOfString(text, at) ?? endOfComment(text, at)
    if (end === undefined) {
      const one = text[at]!
      if (one === '}' || one === ']') plain = withoutComma(plain)
      plain += one
      at++
    } else {
      if (text[at] === '"') plain += text.slice(at, end)
      at = end
    }
  }
  return JSON.parse(plain) as unknown
}

function endOfString(text: string, start: number): number | undefined {
  if (text[start] !== '"') return undefined
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfComment(text: string, start: number): number | undefined {
  const mark = text.slice(start, start + 2)
  if (mark !== '//' && mark !== '/*') return undefined
  const end = text.indexOf(mark === '//' ? '\n' : '*/', start + 2)
  return end === -1 ? text.length : mark === '//' ? end : end + 2
}

function withoutComma(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.endsWith(',') ? trimmed.slice(0, -1) : text
}
