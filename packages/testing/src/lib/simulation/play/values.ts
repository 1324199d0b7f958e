import type { SeededRandom } from '@botwright/clock/simulated'
import type { ArgHelp, Definition } from '@botwright/framework'
import { answerMark } from './answers.ts'
import { phrasesIn } from './phrases.ts'

/** The names and words that people know when they type. */
export interface Vocabulary {
  people: readonly string[]
  roles: readonly string[]
  channels: readonly string[]
  /** Texts are mostly as long as they may be. */
  isLong?: boolean
  /** Values that people have typed so far: things have the same name when they are used again. */
  earlier: string[]
  /** Words of the bot's own code, such as the names of things that it sells. */
  words: readonly string[]
}

const odd = ['', '🎲', '👩‍👩‍👧‍👦', 'ß', '٣', '-0', 'null', '__proto__', '@everyone', '<@0>', '`x`', '%s', '{{x}}', '\\', '"']
const times = ['10m', '1h 30m', '1s', '2 days', '4w', '0s', '-5m', '99999d']
const dates = [
  'tomorrow 18:00',
  'in 2h',
  'friday',
  '2026-03-29 02:30',
  '2026-12-31 23:59',
  '31.2.',
  'yesterday',
  'in 1m',
]

/** A message with a command: mostly one that fits its arguments, sometimes one that does not. */
export function commandText(command: Definition, random: SeededRandom, known: Vocabulary): string {
  const words = command.name.split(' ')
  if (command.aliases && command.aliases.length > 0 && random.chance(0.2))
    words[words.length - 1] = random.pick(command.aliases)
  const { args = [], examples = [] } = command.help ?? {}
  const begin = `/${words.join(' ')}`
  if (examples.length > 0 && random.chance(0.15)) return `${begin} ${random.pick(examples)}`.trim()
  const fits = known.isLong === true || random.chance(0.85)
  const parts = [begin]
  for (const one of args) {
    const mayMiss = one.optional === true || one.default !== undefined || one.takes === 'flag'
    if (mayMiss && random.chance(0.4)) continue
    if (!fits && random.chance(0.15)) continue
    const value = argumentText(one, { random, known, fits: fits || random.chance(0.5) })
    if (one.name.startsWith('--')) parts.push(one.takes === 'flag' ? one.name : `${one.name} ${value}`)
    else parts.push(value)
  }
  if (!fits && random.chance(0.3)) parts.push(random.pick(['extra', '🎲', '7']))
  return cut(parts.join(' ').trim())
}

interface Drawing {
  random: SeededRandom
  known: Vocabulary
  fits: boolean
}

function argumentText(one: ArgHelp, drawing: Drawing): string {
  const { random } = drawing
  const { takes, choices } = one
  if (takes === 'words') {
    const { min, max } = boundsIn(one, 'values')
    const count = min + random.int(Math.max(1, Math.min(max, min + 3) - min + 1))
    return Array.from({ length: count }, () => quoted(valueText(one, drawing))).join(' ')
  }
  if (takes === 'text') return freeText(one, drawing)
  const value = choices && drawing.fits ? random.pick(choices) : valueText(one, drawing)
  return quoted(value)
}

function valueText(one: ArgHelp, { random, known, fits }: Drawing): string {
  if (!fits && random.chance(0.5)) return random.pick(odd)
  const phrases = phrasesIn(one.expects).map(({ text }) => text)
  const has = (text: string) => phrases.includes(text)
  const { number, choices } = one
  if (choices) return random.chance(0.9) ? random.pick(choices) : random.pick(choices).slice(0, -1)
  if (number) return numberText(number, random, fits)
  if (has('kind.person')) return `@${random.chance(0.95) ? random.pick(known.people) : 'stranger'}`
  if (has('kind.role')) return known.roles.length > 0 ? random.pick(known.roles) : 'mods'
  if (has('kind.channel') || has('kind.voice_channel')) return `#${random.pick(known.channels)}`
  if (has('kind.duration')) return random.pick(fits ? times.slice(0, 4) : times)
  if (phrases.some((text) => text.startsWith('kind.date'))) return random.pick(dates)
  if (has('kind.uuid')) return '0194f3a0-1234-7abc-8def-0123456789ab'
  if (has('kind.yes_or_no')) return random.pick(['yes', 'no'])
  return freeText(one, { random, known, fits })
}

/** The newest values, which people use again. */
const EARLIER = 6
/** Longer values are not the name of anything. */
const MOST_NAME = 40

function freeText(one: ArgHelp, drawing: Drawing): string {
  const { random, known } = drawing
  const { min, max } = boundsIn(one, 'characters')
  const earlier = known.earlier.filter(({ length }) => length >= min && length <= max)
  if (known.isLong !== true && earlier.length > 0) {
    if (random.chance(0.4)) return random.pick(earlier.slice(-EARLIER))
    if (random.chance(0.15)) return answerMark(random.int(100))
  }
  const text = newText(one, drawing)
  if (text.length <= MOST_NAME) known.earlier.push(text)
  return text
}

function newText(one: ArgHelp, { random, known, fits }: Drawing): string {
  const { min, max } = boundsIn(one, 'characters')
  const roll = random.next()
  const words = known.words.length > 0 ? known.words : ['tea']
  // Longer than anything that the author has tried.
  if (roll < (known.isLong ? 0.7 : 0.12)) return 'long text '.repeat(200).slice(0, Math.min(max, 1900))
  if (roll < 0.2) return random.pick(odd) || 'x'
  if (roll < 0.28) return `${random.pick(words)} <b>*_~ @${random.pick(known.people)}`
  if (!fits && roll < 0.6) return 'x'.repeat(Math.min(1900, max + 1))
  const text = roll < 0.75 ? random.pick(words) : `${random.pick(words)} ${random.pick(words)}`
  return text.padEnd(min, 'x').slice(0, Math.min(max, 1900))
}

function numberText(
  { whole, min = -1e6, max = 1e6 }: NonNullable<ArgHelp['number']>,
  random: SeededRandom,
  fits: boolean,
) {
  const low = Math.max(min, -20)
  const high = Math.min(max, Math.max(low, 0) + 50)
  if (fits) {
    const pool = [min, max, max, low + 1, Math.min(max, 3)]
    const usual = low + random.int(Math.max(1, Math.floor(high - low) + 1))
    const value = Math.max(min, Math.min(max, random.chance(0.6) ? usual : random.pick(pool)))
    return String(whole ? Math.round(value) : value)
  }
  return random.pick([
    '0',
    '-1',
    '-5',
    '1.5',
    '999999999999',
    '9007199254740993',
    '1e9',
    'many',
    String(max + 1),
    String(min - 1),
  ])
}

/** The bounds in the description of an argument. */
function boundsIn({ expects }: ArgHelp, of: 'values' | 'characters'): { min: number; max: number } {
  const isValues = of === 'values'
  const start = isValues ? /^kind\.(?:any_)?values(?!_each)/ : /^kind\.text/
  const found = phrasesIn(expects).find(({ text }) => start.test(text))
  const {
    count = 1,
    min = isValues ? 1 : 0,
    max = isValues ? 4 : Infinity,
  } = (found?.values ?? {}) as Record<string, number>
  if (found?.text.endsWith('_at_most')) return { min: isValues ? 1 : 0, max: count }
  if (found?.text.endsWith('_at_least')) return { min: count, max: isValues ? count + 3 : Infinity }
  if (found?.text === 'kind.values') return { min: count, max: count }
  return { min, max }
}

const quoted = (value: string): string =>
  /[\s"]/.test(value) || value === '' ? `"${value.replaceAll('"', '')}"` : value

/** A message has at most 2,000 characters (interface §8). */
const cut = (text: string): string => text.slice(0, 1999)

/** A text of a person who is asked something, or who just talks. */
export function plainText(random: SeededRandom, known: Vocabulary): string {
  const words = known.words.length > 0 ? known.words : ['tea']
  return random.pick([
    ...['yes', 'no', 'cancel', '1', '3', '7', '0', '-2', '100', 'hello', 'thanks', 'tomorrow 18:00', '10m', '🎉'],
    `@${random.pick(known.people)}`,
    random.pick(words),
    random.pick(known.earlier.length > 0 ? known.earlier : words),
    'word '.repeat(300),
  ])
}

const literal = /(["'`])((?:[^\\\n"'`]){2,24})\1/g

/** The short texts and the names of fields in the code of a bot. */
export function wordsOf(sources: Iterable<string>): string[] {
  const found = new Set<string>()
  for (const source of sources) {
    for (const [, , text = ''] of source.matchAll(literal))
      if (/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u.test(text)) found.add(text)
    for (const [, name = ''] of source.matchAll(/[{,]\s*([a-z]\w{2,15}):\s/g)) found.add(name)
  }
  return [...found].sort().slice(0, 200)
}
