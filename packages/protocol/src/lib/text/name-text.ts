// Which characters a name may contain (decision 0008). Names appear in lists, mentions and log lines. There, an invisible character
// makes two names look alike, and a bidirectional control changes how the surrounding text reads.

// Created on first use: these patterns cover all of Unicode and are slow to compile.
let patterns: { hidden: RegExp; allowed: RegExp } | undefined

/** Scripts that use joiners (U+200C, U+200D) between letters. */
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
  /** Controls, line separators, format characters, variation selectors, fillers that look like spaces, lone surrogates. */
  hidden: /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]/u,
  /** Characters that modify a neighbour: emoji sequences, keycaps, regional flags, joiners and variants of scripts that need them. */
  allowed: new RegExp(joiners, 'gv'),
})

/**
 * Returns the first forbidden character of a name, such as `U+202E`: control, bidirectional and invisible characters. Unless `strict`
 * is set, those that emoji and scripts need are allowed.
 */
export function hiddenCharacter(name: string, strict = false): string | undefined {
  const { hidden, allowed } = (patterns ??= makePatterns())
  let found = hidden.exec(name)
  if (found && !strict) found = hidden.exec(name.replace(allowed, ''))
  return found ? `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` : undefined
}
