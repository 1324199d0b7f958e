/** One word of a command's text. `at` is where it begins, so that the rest of the text can be taken as it stands. */
export interface Word {
  text: string
  at: number
  /** A quoted word is never a `--flag`. */
  quoted: boolean
}

/** What closes a quotation; telephones write curly quotes. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  '\u201c': '\u201d',
  '\u201e': '\u201c',
  '\u00ab': '\u00bb',
}

/**
 * Splits a text into words: at blanks, but not inside of quotes; `\"` is a quote inside of quotes.
 * A quote that is never closed is an ordinary character.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++
      continue
    }
    const quoted = readQuoted(text, at)
    if (quoted) {
      words.push({ text: quoted.text, at, quoted: true })
      at = quoted.end
      continue
    }
    const start = at
    while (at < text.length && !/\s/.test(text.charAt(at))) at++
    words.push(unquotedValue(text, start, at) ?? { text: text.slice(start, at), at: start, quoted: false })
    const last = words.at(-1)
    if (last && 'end' in last && typeof last.end === 'number') at = last.end
  }
  return words
}

/** `--name="two words"` is one word. */
function unquotedValue(text: string, start: number, end: number): (Word & { end: number }) | undefined {
  const flag = /^--[\w-]+=/.exec(text.slice(start, end))
  const quoted = flag && readQuoted(text, start + flag[0].length)
  return quoted ? { text: flag[0] + quoted.text, at: start, quoted: false, end: quoted.end } : undefined
}

function readQuoted(text: string, start: number): { text: string; end: number } | undefined {
  const close = closing[text.charAt(start)]
  if (close === undefined) return undefined
  let inside = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\' && (text.charAt(at + 1) === close || text.charAt(at + 1) === '\\'))
      inside += text.charAt(++at)
    else if (character !== close) inside += character
    // A quote in the middle of a word, as in "5"x, closes nothing.
    else if (at + 1 === text.length || /\s/.test(text.charAt(at + 1))) return { text: inside, end: at + 1 }
    else inside += character
  }
  return undefined
}
