/** Longer names are ignored: each letter is one bit of a 32-bit integer. */
const LONGEST = 32

/** Returns the most similar of several names. Undefined if none is similar enough, or if one is the same text in any Unicode form. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const wanted = lettersOf(name)
  if (wanted === '') return undefined
  const places = positionsOf(wanted)
  const same = name.normalize('NFC')
  let best: string | undefined
  let most = Math.max(2, Math.floor(wanted.length / 3))
  for (const candidate of names) {
    if (candidate === name) return undefined
    if (candidate.length > LONGEST || candidate.length < wanted.length - most) continue
    const letters = lettersOf(candidate)
    if (Math.abs(letters.length - wanted.length) > most) continue
    const steps = editSteps(places, wanted.length, letters)
    // With as many edits as letters, they have nothing in common.
    if (steps > most || steps >= Math.max(letters.length, wanted.length)) continue
    // It is not misspelled: the reader would see the same text twice.
    if (steps === 0 && candidate.normalize('NFC') === same) return undefined
    best = candidate
    // Only a closer one can replace it.
    most = steps - 1
  }
  return best
}

const lettersOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** The positions of each letter in a text, by character code, one bit per position. */
function positionsOf(text: string): Int32Array {
  const places = new Int32Array(128)
  for (let i = 0; i < text.length; i++) places[text.charCodeAt(i)]! |= 1 << i
  return places
}

/**
 * The edit distance between a text, given by its positions and length, and another one. A swap of two neighbours is one edit. Each
 * column of the distance table is two integers (Myers 1999, Hyyrö 2003), because there may be ten thousand names to compare with.
 */
function editSteps(places: Int32Array, length: number, to: string): number {
  const last = 1 << (length - 1)
  let steps = length
  let more = -1
  let less = 0
  let diagonal = 0
  let before = 0
  for (let j = 0; j < to.length; j++) {
    const equal = places[to.charCodeAt(j)]!
    const swapped = ((~diagonal & equal) << 1) & before
    diagonal = (((equal & more) + more) ^ more) | equal | less | swapped
    const up = less | ~(diagonal | more)
    const down = more & diagonal
    if (up & last) steps++
    else if (down & last) steps--
    const ahead = (up << 1) | 1
    more = (down << 1) | ~(diagonal | ahead)
    less = ahead & diagonal
    before = equal
  }
  return steps
}
