/** Longer names are ignored: each letter is one bit of a 32-bit integer. */
const LONGEST = 32

/** Returns the most similar of several names, or undefined if none is similar enough. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const wanted = lettersOf(name)
  if (wanted === '') return undefined
  const places = positionsOf(wanted)
  let best: string | undefined
  let most = Math.max(2, Math.floor(wanted.length / 3))
  for (const candidate of names) {
    if (candidate.length > LONGEST || candidate.length < wanted.length - most) continue
    const letters = lettersOf(candidate)
    if (Math.abs(letters.length - wanted.length) > most) continue
    const steps = editSteps(places, wanted.length, letters)
    if (steps > most) continue
    best = candidate
    // Only a closer one can replace it.
    most = steps - 1
  }
  return best
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The positions of each letter in a text, by character code, one bit per position. */
function positionsOf(text: string): Int32Array {
  const places = new Int32Array(128)
  for (let i = 0; i < text.length; i++) places[text.charCodeAt(i)]! |= 1 << i
  return places
}

/**
 * The edit distance between a text, given by its positions and length, and another one. Each column of the distance table is two
 * integers (Myers 1999), because there may be ten thousand names to compare with.
 */
function editSteps(places: Int32Array, length: number, to: string): number {
  const last = 1 << (length - 1)
  let steps = length
  let more = -1
  let less = 0
  for (let j = 0; j < to.length; j++) {
    const equal = places[to.charCodeAt(j)]!
    const across = (((equal & more) + more) ^ more) | equal
    const up = less | ~(across | more)
    const down = more & across
    if (up & last) steps++
    else if (down & last) steps--
    const ahead = (up << 1) | 1
    more = (down << 1) | ~(equal | less | ahead)
    less = ahead & (equal | less)
  }
  return steps
}
