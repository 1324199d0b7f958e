import type { ArgsOf, ArgsShape } from './arg.ts'
import { quoteWord } from './words.ts'

/** Values as they would be typed behind a command, quoted where it is needed. The reader of the same args reads them back. */
export function writeArgs<S extends ArgsShape>(shape: S, values: Partial<ArgsOf<S>>): string {
  const words: string[] = []
  // Behind an arg that is left out, the others are told by their names.
  let gap = false
  // Behind a value that may have several words, as `1h 30m`, the next is quoted: it could be one of them.
  let open = false
  for (const [name, arg] of Object.entries(shape)) {
    const value = (values as Record<string, unknown>)[name]
    if (value === undefined) {
      gap = true
      continue
    }
    const typed = arg.write(value)
    if (arg.takes === 'flag' || arg.named || gap) words.push(...typed.map((word) => `--${name}=${quoteWord(word)}`))
    else {
      words.push(...typed.map((word) => quoteWord(word, open)))
      open = arg.takes === 'word' && arg.mostWords > 1
    }
  }
  return words.join(' ')
}
