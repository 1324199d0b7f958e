import { characters, cut } from '@botwright/protocol/facts'

/** How `escape` treats a text. */
export interface EscapeOptions {
  /** The most characters that the result may have; a longer text is cut and ends in `…`. */
  max?: number
}

/** What an escape with a backslash shows as it is. `@everyone` needs more: a service looks for the bare word. */
const special = [
  /@(?=(?:everyone|here)\b)/.source,
  // Indented code, and the spaces that a paragraph drops.
  /^[ \t]/m.source,
  /[\\`*_~[\]<>&|@]/.source,
  /(?<=<)#/.source,
  // Headings and lists.
  /(?<=^[ \t]*)[#+=-]/m.source,
  /(?<=^[ \t]*\d{1,9})[.)]/m.source,
  // Addresses, which become links by themselves.
  /\.(?=[^\s.])/.source,
  /:(?=\S)/.source,
]
const pattern = new RegExp(special.join('|'), 'gm')

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

const escapeAll = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replace(pattern, (found, at: number, all: string) => {
    if (found === ' ' || found === '\t') return `&#${found.charCodeAt(0)};`
    return found === '@' && /^@(?:everyone|here)\b/.test(all.slice(at, at + 10)) ? '&#64;' : `\\${found}`
  })
