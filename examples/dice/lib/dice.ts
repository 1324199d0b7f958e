/** Rolls `count` dice with `sides` sides each. */
export const roll = (count: number, sides: number): number[] =>
  Array.from({ length: count }, () => Math.ceil(Math.random() * sides))

/** `4 + 2 = 6`, or just `4`. */
export function sumText(rolls: readonly number[]): string {
  const sum = rolls.reduce((total, one) => total + one, 0)
  return rolls.length === 1 ? `${sum}` : `${rolls.join(' + ')} = ${sum}`
}
