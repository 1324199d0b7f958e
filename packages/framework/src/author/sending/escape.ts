import { characters, cut } from '@botwright/protocol/facts'

/** How `escape` treats a text. */
export interface EscapeOptions {
  /** The most characters that the result may have; a longer text is cut and ends in `…`. */
  max?: number
}

/** What an escape with a backslash shows as it is, addresses among it, which become links by themselves. */
const special = /[\\`*_~[\]<>&|@]|(?<=<)#|\.(?=[^\s.])|:(?=\S)/g
/** What begins a heading, a list or an underline. */
const marker = /^(\d{1,9})?([#+=.)-])/

/**
 * Escapes the text of a person for a message or an embed, so that it shows literally: Markdown, links and mentions (`<@id>`, `<#id>`,
 * `@everyone`) have no effect. Most texts grow a little, at worst to five times their length: give `max` where the message has a limit.
 * Within code (`` ` ``) escapes show as they are: do not put escaped text there.
 */
export function escape(text: string, { max = Infinity }: EscapeOptions = {}): string {
  const whole = escapeAll(text)
  if (characters(whole) <= max) return whole
  // The longest beginning whose escaped form fits beside the ellipsis.
  let fits = 0
  for (let step = Math.max(Math.floor(max) - 1, 0); step > 0; step = Math.floor(step / 2))
    while (fits + step < max && characters(escapeAll(cut(text, fits + step))) <= max - 1) fits += step
  return max < 1 ? '' : `${escapeAll(cut(text, fits))}…`
}

const escapeAll = (text: string): string => text.replaceAll(/\r\n?/g, '\n').split('\n').map(escapeLine).join('\n')

function escapeLine(line: string): string {
  const start = line.search(/[^ \t]|$/)
  // Indented code, and the spaces that a paragraph drops.
  const blank = start === 0 ? '' : `&#${line.charCodeAt(0)};${line.slice(1, start)}`
  const rest = line.slice(start)
  const [found = '', digits = '', sign = ''] = marker.exec(rest) ?? []
  // A number needs a point or a bracket, any other sign no number.
  const marks = found !== '' && (digits !== '') === (sign === '.' || sign === ')')
  return blank + (marks ? `${digits}\\${sign}` : '') + escapeInline(marks ? rest.slice(found.length) : rest)
}

/** `@everyone` needs more than a backslash: a service looks for the bare word. */
const escapeInline = (text: string): string =>
  text.replace(special, (found, at: number) =>
    found === '@' && /^@(?:everyone|here)\b/.test(text.slice(at, at + 10)) ? '&#64;' : `\\${found}`,
  )
