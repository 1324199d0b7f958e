/**
 * Returns the processor time of `run` in milliseconds, which does not depend on how busy the machine is: the minimum of up to `tries`
 * runs, because garbage collection may disturb any of them. Stops early after a run of at most `enoughMs`.
 */
export async function leastMs(run: () => unknown, { tries = 5, enoughMs = 0 } = {}): Promise<number> {
  let least = Infinity
  for (let i = 0; i < tries && least > enoughMs; i++) {
    const start = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
