/**
 * The processor time of `run` in milliseconds: the least of up to `tries` runs, because another program may take the processor away
 * from any of them. Stops early once a run took no more than `enoughMs`.
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
