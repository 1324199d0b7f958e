/** Longer names are neither corrected nor proposed: a bit of a 32-bit integer stands for each letter. */
const LONGEST = 32

/** Of several names the one that was probably meant, or undefined when none is near. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const wanted = lettersOf(name)
  if (wanted === '') return undefined
  const places = placesOf(wanted)
  let best: string | undefined
  let most = Math.max(2, Math.floor(wanted.length / 3))
  for (const candidate of names) {
    if (candidate.length > LONGEST || candidate.length < wanted.length - most) continue
    const letters = lettersOf(candidate)
    if (Math.abs(letters.length - wanted.length) > most) continue
    const steps = editSteps(places, wanted.length, letters)
    if (steps > most) continue
    best = candidate
    // Only a nearer one is better.
    most = steps - 1
  }
  return best
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** By character code, the places at which a letter stands in a text, a bit each. */
function placesOf(text: string): Int32Array {
  const places = new Int32Array(128)
  for (let i = 0; i < text.length; i++) places[text.charCodeAt(i)]! |= 1 << i
  return places
}

/**
 * How many letters must be added, removed or changed to turn one text, given by its places and length, into the other. A column of
 * the table of distances is two integers (Myers 1999): a server may have ten thousand names to compare with.
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
