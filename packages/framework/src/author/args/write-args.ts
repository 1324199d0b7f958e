import type { ArgsOf, ArgsShape } from './arg.ts'
import { quoteWord } from './words.ts'

/** Values as a user would type them after a command, quoted where needed. The reader of the same args parses them. */
export function writeArgs<S extends ArgsShape>(shape: S, values: Partial<ArgsOf<S>>): string {
  const words: string[] = []
  // After an omitted arg, the others are passed by name.
  let gap = false
  // After a value that may have several words, such as `1h 30m`, quote the next one: it could be part of it.
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
