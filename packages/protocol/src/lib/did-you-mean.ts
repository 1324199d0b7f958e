/** Of several names the one that was probably meant, or undefined when none is near. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  let best: { name: string; steps: number } | undefined
  for (const candidate of names) {
    const steps = editSteps(wanted, candidate.toLowerCase().replace(/[^a-z0-9]/g, ''))
    if (!best || steps < best.steps) best = { name: candidate, steps }
  }
  return best && best.steps <= Math.max(2, Math.floor(wanted.length / 3)) ? best.name : undefined
}

/** How many letters must be added, taken away or changed to turn one text into the other. */
function editSteps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
