import { printableLine } from '@botwright/protocol/facts'

/** A path as a word of a command that people paste into their shell; without control characters. */
export function shellWord(path: string): string {
  const word = printableLine(path)
  if (/^[\p{L}\p{N}./_@+-]+$/u.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
