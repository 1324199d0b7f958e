import { printableLine } from './printable.ts'

/** A word of a command that people paste into their shell on this machine, such as a path; without control characters. */
export function shellWord(text: string): string {
  const word = printableLine(text)
  if (/^[\p{L}\p{N}./_@+-]+$/u.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
