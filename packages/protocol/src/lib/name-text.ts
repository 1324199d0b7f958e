// Which characters a name may hold (decision 0008). Names stand in lists, mentions and log lines, where a character that shows nothing
// makes two names look alike, and a bidirectional control changes how the text around the name reads.

// Made with the first name that is not plain: these know every character there is.
let patterns: { hidden: RegExp; allowed: RegExp } | undefined

/** Scripts that write joiners (U+200C, U+200D) between letters. */
const joined = 'Arab Syrc Mand Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('')

const joiners = [
  '(?<=\\p{Extended_Pictographic}[\\u{FE0F}\\u{1F3FB}-\\u{1F3FF}]?)\\u{200D}(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})[\\u{FE0E}\\u{FE0F}]',
  '(?<=[0-9#*])\\u{FE0F}(?=\\u{20E3})',
  '(?<=\\u{1F3F4})[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{2,6}\\u{E007F}',
  `(?<=[[${joined}]&&[\\p{L}\\p{M}]])[\\u{200C}\\u{200D}](?=[[${joined}]&&[\\p{L}\\p{M}]])`,
  '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
  '(?<=\\p{Script=Mongolian})[\\u{180B}-\\u{180F}]',
].join('|')

const makePatterns = () => ({
  /** Controls, line separators, format characters, variation selectors, fillers that show as blanks, halves of surrogate pairs. */
  hidden: /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]/u,
  /** What belongs to a character beside it: emoji sequences, keycaps, flags of regions, joiners and variants of scripts that need them. */
  allowed: new RegExp(joiners, 'gv'),
})

/**
 * The first character that a name must not hold, such as `U+202E`: control, bidirectional and invisible characters. `strict` refuses
 * them everywhere; otherwise those are allowed that emoji and scripts need.
 */
export function hiddenCharacter(name: string, strict = false): string | undefined {
  const { hidden, allowed } = (patterns ??= makePatterns())
  let found = hidden.exec(name)
  if (found && !strict) found = hidden.exec(name.replace(allowed, ''))
  return found ? `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` : undefined
}
