/** Equal characters that are shown before the first difference. */
const CONTEXT = 20

/**
 * Two texts for people who compare them. One that is longer than `most` characters is cut around the place where they differ: what both have
 * in common at their beginning and end is left out first.
 */
export function differing(before: string, after: string, most: number): [before: string, after: string] {
  const [one, other] = [[...before], [...after]]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  const shown = (text: readonly string[]): string => {
    if (text.length <= most) return text.join('')
    // A text that only adds to the other, or has lost its end, shows its last characters.
    const from = Math.max(0, Math.min(start - CONTEXT, text.length - most))
    const to = Math.min(text.length, from + most)
    return `${from > 0 ? '…' : ''}${text.slice(from, to).join('')}${to < text.length ? '…' : ''}`
  }
  return [shown(one), shown(other)]
}
