/** A style, or a character that moves the cursor, starts a line or hides text. Keeps joiners: emoji and several scripts require them. */
const styledOrMisleading = /(\u001b\[[\d;]{0,16}m|\r\n)|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Escapes control characters in file names, arguments and npm's output (`\u001b`). Keeps styles, newlines and tabs. */
export const printable = (text: string): string =>
  text.replace(styledOrMisleading, (found, kept: string | undefined) => {
    if (kept !== undefined) return kept
    return Array.from(
      { length: found.length },
      (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join('')
  })
