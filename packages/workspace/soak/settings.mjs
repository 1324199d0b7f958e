// Settings of a soak test from its environment.

/** A number from the environment, such as COUNT. */
export const number = (name, usual) => Number(process.env[name] ?? usual)

/** The seed of a run: SEED, or a random one, which the run prints. */
export const SEED = number('SEED', Date.now() % 1_000_000)

/** Mulberry32: the same seed gives the same run. */
export function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
