import { skipUnseen, trimUnseen } from '@botwright/protocol/typed-text'

/** One word of a command's text. `at` and `end` are its position, so that the remaining text can be used unchanged. */
export interface Word {
  text: string
  at: number
  end: number
  /** A quoted word is never a `--flag`, and never part of a value of several words. */
  quoted: boolean
  /** Whether it ends with a quoted value, as in `--name="two words"`. */
  endsQuoted: boolean
}

/** The closing marks of each quotation mark: phones, word processors and languages have their own pairs. */
const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\u201c': '\u201d\u201c"', // “ ”
  '\u201d': '\u201d', // ” ” (Finnish, Swedish)
  '\u201e': '\u201c\u201d"', // „ “ (German), „ ” (Polish)
  '\u2018': '\u2019\u2018', // ‘ ’
  '\u2019': '\u2019', // ’ ’
  '\u201a': '\u2018\u2019', // ‚ ‘
  '\u00ab': '\u00bb', // « »
  '\u00bb': '\u00ab\u00bb', // » « (German), » » (Finnish)
  '\u2039': '\u203a', // ‹ ›
  '\u203a': '\u2039\u203a', // › ‹
  '\u300c': '\u300d', // 「 」
  '\u300e': '\u300f', // 『 』
  '\uff02': '\uff02', // ＂ ＂
}

/** Phones turn `--` into a dash. */
const FLAG = /^(?:--|[\u2013\u2014])(?=[a-z])/i
const FLAG_VALUE = /^(?:--|[\u2013\u2014])[a-z][\w-]*=/i

/**
 * Splits a text into words: at spaces, but not inside quotes; `\"` is a quote inside quotes.
 * A quote that is never closed is an ordinary character.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  // A mark without a closing one from here on has none from any later position either: search once.
  const open = new Set<string>()
  let at = 0
  while (at < text.length) {
    if (isBlank(text, at)) {
      at++
      continue
    }
    const seen = skipUnseen(text, at)
    // Characters that people neither see nor type are not a word.
    if (isEnd(text, seen)) {
      at = seen
      continue
    }
    const quoted = readQuoted(text, seen, open)
    if (quoted) {
      words.push({ text: quoted.text, at, end: quoted.end, quoted: true, endsQuoted: true })
      at = quoted.end
      continue
    }
    const start = at
    while (at < text.length && !isBlank(text, at)) at++
    const word = text.slice(start, at)
    // `--name="two words"` is one word.
    const flag = FLAG_VALUE.exec(word)?.[0]
    const value = flag === undefined ? undefined : readQuoted(text, start + flag.length, open)
    if (value) at = value.end
    words.push({
      text: value && flag !== undefined ? flag + value.text : word,
      at: start,
      end: at,
      quoted: false,
      endsQuoted: value !== undefined,
    })
  }
  return words
}

/** The quotation mark that a word, or the value of a flag, begins with, and the mark that closes it. */
export function openQuoteOf(word: string): { mark: string; closer: string } | undefined {
  const typed = trimUnseen(word)
  const mark = typed.slice(FLAG_VALUE.exec(typed)?.[0].length ?? 0).charAt(0)
  return beginsQuoted(mark) ? { mark, closer: closers[mark]!.charAt(0) } : undefined
}

/** A word as it was meant: without the characters at its edges that people neither see nor type, unless they are quoted. */
export const meantText = ({ text, endsQuoted }: Word): string => (endsQuoted ? text : trimUnseen(text))

/** Whether a word begins like a flag. */
export const looksLikeFlag = (word: string): boolean => FLAG.test(word)

/** Whether a text begins with a quotation mark. */
const beginsQuoted = (text: string): boolean => Object.hasOwn(closers, text.charAt(0))

/** A text as one word of a command line: quoted if it would be parsed differently, or `always`. `splitWords` reads it back. */
export function quoteWord(text: string, always = false): string {
  const plain =
    !always &&
    text !== '' &&
    !/\s/.test(text) &&
    trimUnseen(text) === text &&
    !beginsQuoted(text) &&
    !/^(?:--|[\u2013\u2014])/.test(text)
  return plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

const isBlank = (text: string, at: number): boolean => /\s/.test(text.charAt(at))
const isEnd = (text: string, at: number): boolean => at >= text.length || isBlank(text, at)

function readQuoted(text: string, start: number, open: Set<string>): { text: string; end: number } | undefined {
  const opener = text.charAt(start)
  const closing = Object.hasOwn(closers, opener) ? closers[opener] : undefined
  if (closing === undefined || open.has(opener)) return undefined
  let inside = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (character === '\\' && next !== '' && (closing.includes(next) || next === '\\')) {
      inside += next
      at++
    } else if (!closing.includes(character)) inside += character
    // A quote inside a word, as in "5"x, closes nothing.
    else if (isEnd(text, skipUnseen(text, at + 1))) return { text: inside, end: skipUnseen(text, at + 1) }
    else inside += character
  }
  open.add(opener)
  return undefined
}
