import { isThenable } from '../outgoing.ts'
import { inEnglish, typedChoices, typedWords } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'
import type { Arg, ArgsShape } from './arg.ts'
import { quoteWord } from '../texts/typed-words.ts'

/** The usage of a command's args: `<question> <choices...> [minutes=10] [red|green|blue] [--secret]`. */
export const usageOf = (shape: ArgsShape): Words =>
  Object.entries(shape).flatMap(([name, arg], i) => [i === 0 ? '' : ' ', slot(name, arg)])

function slot(name: string, arg: Arg<unknown>): Words {
  if (arg.takes === 'flag') return `[--${isOn(arg) ? 'no-' : ''}${name}]`
  const many = arg.takes === 'word' || arg.named ? '' : '...'
  const shown = defaultOf(arg)
  const slotName = choicesOr(name, arg)
  if (!arg.named)
    return arg.absent
      ? ['[', slotName, many, ...(shown === undefined ? [] : ['=', shown]), ']']
      : ['<', slotName, many, '>']
  const flag = [`--${name} <`, choicesOr(kindOf(arg), arg), `>${arg.takes === 'words' ? '...' : ''}`]
  return arg.absent ? ['[', ...(shown === undefined ? flag : [`--${name}=`, shown]), ']'] : flag
}

const isOn = ({ absent }: Arg<unknown>): boolean => absent !== undefined && 'value' in absent && absent.value === true

/** `red|green|blue`, or `name` if there are no choices. */
const choicesOr = (name: string, { choices = [] }: Arg<unknown>): Words =>
  choices.length > 0 ? typedChoices(choices, name) : name

/** `a whole number from 1 to 60` is a `number`. */
const kindOf = ({ takes, expects }: Arg<unknown>): string =>
  takes === 'words' ? 'value' : (/^(?:an? )?(?:whole )?([a-z]+)/.exec(inEnglish(expects))?.[1] ?? 'value')

/** The default of an omitted arg, as a user would type it; undefined if there is none to show. */
export function defaultOf(arg: Arg<unknown>): Words | undefined {
  const { absent, takes } = arg
  if (!absent || takes === 'flag') return undefined
  if ('typed' in absent) return typedWords([absent.typed])
  const { value } = absent
  if (value === undefined || value === null || value === '' || isThenable(value)) return undefined
  const words = arg.write(value)
  return words.length === 0 ? undefined : typedWords(words)
}

/** A complete sample command, with `shown` in it even if optional; undefined if an arg has no example. */
export function exampleOf(shape: ArgsShape, shown?: string): string | undefined {
  const words: string[] = []
  for (const [name, arg] of Object.entries(shape)) {
    if (arg.absent && name !== shown) continue
    if (arg.takes === 'flag') words.push(`--${name}`)
    else if (arg.example === undefined) return undefined
    else if (arg.named) words.push(`--${name}=${quoteWord(arg.example)}`)
    else if (arg.takes === 'words') words.push(...manyOf(arg.example))
    else words.push(arg.takes === 'text' || arg.mostWords > 1 ? arg.example : quoteWord(arg.example))
  }
  return words.join(' ')
}

const manyOf = (example: string): string[] => [quoteWord(example), quoteWord(example)]
