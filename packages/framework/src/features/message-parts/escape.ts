import { characters, cut } from '@botwright/protocol/facts'
import { everyoneAt } from '@botwright/protocol/typed-text'

/** The options of `escape`. */
export interface EscapeOptions {
  /** The maximum number of characters in the result; a longer text is cut and ends in `…`. */
  max?: number
}

/** Characters that a backslash escapes, including those of addresses, which would become links. */
const special = /[\\`*_~[\]<>&|@]|(?<=<)#|\.(?=[^\s.])|:(?=\S)/g
/** The beginning of a heading, a list or an underline. */
const marker = /^(\d{1,9})?([#+=.)-])/
/** A last line of digits, which becomes a list number if a period or a parenthesis follows the text. */
const lastNumber = /\n(\d)(?=\d{0,8}$)/

/**
 * Escapes the text of a person for a message or an embed, so that it shows literally: Markdown, links and mentions (`<@id>`, `<#id>`,
 * `@everyone`) have no effect. Most texts grow a little, at worst to five times their length: set `max` if the message has a limit.
 * Inside code (`` ` ``), escapes are visible: do not put escaped text there.
 */
export function escape(text: string, { max = Infinity }: EscapeOptions = {}): string {
  const whole = escapeAll(text)
  if (characters(whole) <= max) return whole
  // The longest beginning whose escaped form fits before the ellipsis.
  let fits = 0
  for (let step = Math.max(Math.floor(max) - 1, 0); step > 0; step = Math.floor(step / 2))
    while (fits + step < max && characters(escapeAll(cut(text, fits + step))) <= max - 1) fits += step
  return max < 1 ? '' : `${escapeAll(cut(text, fits))}…`
}

const escapeAll = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map(escapeLine)
    .join('\n')
    .replace(lastNumber, (_, digit: string) => `\n&#${digit.charCodeAt(0)};`)

function escapeLine(line: string): string {
  const start = line.search(/[^ \t]|$/)
  // Indented code, and leading spaces that a paragraph drops.
  const blank = start === 0 ? '' : `&#${line.charCodeAt(0)};${line.slice(1, start)}`
  const rest = line.slice(start)
  const [found = '', digits = '', sign = ''] = marker.exec(rest) ?? []
  // A list number requires a period or a parenthesis; other list signs do not.
  const marks = found !== '' && (digits !== '') === (sign === '.' || sign === ')')
  return blank + (marks ? `${digits}\\${sign}` : '') + escapeInline(marks ? rest.slice(found.length) : rest)
}

/** A backslash is not enough for `@everyone`: a service may search for the bare word. */
const escapeInline = (text: string): string =>
  text.replace(special, (found, at: number) =>
    found === '@' && everyoneAt(text, at) !== undefined ? '&#64;' : `\\${found}`,
  )
