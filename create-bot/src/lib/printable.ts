/** A style, or what moves a cursor, starts a line or hides text. The joiners stay: emoji and several scripts need them. */
const styledOrMisleading = /(\u001b\[[\d;]{0,16}m|\r\n)|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Escapes what a file name, an argument or the output of npm could do to a terminal: `\u001b`. Keeps styles, newlines and tabs. */
export const printable = (text: string): string =>
  text.replace(styledOrMisleading, (found, kept: string | undefined) => {
    if (kept !== undefined) return kept
    return Array.from(
      { length: found.length },
      (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join('')
  })
