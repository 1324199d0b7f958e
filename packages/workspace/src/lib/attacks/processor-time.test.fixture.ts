/**
 * Returns the processor time of `run` in milliseconds: the minimum of up to `tries` runs, because other programs may disturb
 * any of them. Stops early after a run of at most `enoughMs`.
 */
export async function leastMs(run: () => unknown, { tries = 5, enoughMs = 0 } = {}): Promise<number> {
  let least = Infinity
  for (let i = 0; i < tries && least > enoughMs; i++) {
    const startMs = performance.now()
    await run()
    least = Math.min(least, performance.now() - startMs)
  }
  return least
}
