/**
 * Characters that control a terminal, start a line or change how the surrounding text reads: controls, line separators, bidi controls and
 * invisible format characters. The two joiners are allowed: emoji and several scripts need them, and they neither move nor hide text.
 */
const misleading = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u
/** Escape sequences for colors and styles, which cannot move the cursor, write to the clipboard or start a line. */
const styledOrMisleading =
  /(\u001b\[(?:\d{1,3}(?:;\d{1,3}){0,5})?m|\r\n)|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu
const everyMisleading = new RegExp(misleading.source, 'gu')

/** Escapes as `\u001b`: visible, and still the same character inside a JSON string. */
function visible(text: string): string {
  let shown = ''
  for (let i = 0; i < text.length; i++) shown += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
  return shown
}

/**
 * Makes output safe for a terminal or a log: escapes control, bidi and invisible characters, so that they show as `\u001b`. Keeps
 * newlines, tabs, colors and styles. For whole output only: escape single values with `printableLine` or `printableBlock`.
 */
export const printable = (text: string): string =>
  misleading.test(text)
    ? text.replace(styledOrMisleading, (found, kept: string | undefined) => kept ?? visible(found))
    : text

/** Makes an untrusted value safe within a line of output: also escapes newlines, tabs and styles. */
export const printableLine = (text: string): string =>
  escapeAll(text).replace(/[\t\n]/g, (found) => (found === '\n' ? '\\n' : '\\t'))

/** Makes an untrusted multi-line text safe: also escapes styles, and indents all lines but the first. */
export const printableBlock = (text: string): string =>
  escapeAll(text.replaceAll('\r\n', '\n')).replace(/\n(?!$)/g, '\n  ')

const escapeAll = (text: string): string => (misleading.test(text) ? text.replace(everyMisleading, visible) : text)
