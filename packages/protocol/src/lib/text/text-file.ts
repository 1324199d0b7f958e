import { BotwrightError } from '../errors.ts'

/** The error text for a text file in UTF-16, which editors and shells of Windows write. */
export const utf16Rule = 'is in UTF-16; save it as UTF-8'
/** Whether a text file is in UTF-16, or has lines in it, as `>>` appends them: it begins with the byte order mark, or contains NUL bytes. */
export const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) || bytes.includes(0)

const utf8 = new TextDecoder()

/** The text of a file in UTF-8, without a byte order mark. Throws `ERR_CONFIG`, which names the file, if it is UTF-16. */
export function decodeText(bytes: Uint8Array, file: string): string {
  if (isUtf16(bytes)) throw new BotwrightError('ERR_CONFIG', `${file}: ${utf16Rule}`)
  return utf8.decode(bytes)
}
