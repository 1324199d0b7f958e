import type { Plan } from './plan.ts'
import { type SimBot, simulate, type Simulated } from './simulate.ts'

/** The parts of a plan that `shrink` reduces. */
type Reducible = { actions: { atMs: number }[]; incidents: { atMs: number }[] }

/** Removes what a failure does not need: incidents, then what people do. Each try is one run. */
export const shrink = (
  bot: SimBot,
  plan: Plan,
  options: { rule: string; tries?: number },
): Promise<{ plan: Plan; result: Simulated; runs: number }> =>
  shrinkBy((smaller) => simulate(bot, smaller, { trace: true }), plan, options)

/** Reduces a plan of any kind. `play`: plays one, with its trace. */
export async function shrinkBy<P extends Reducible>(
  play: (plan: P) => Promise<Simulated>,
  plan: P,
  { rule, tries = 300 }: { rule: string; tries?: number },
): Promise<{ plan: P; result: Simulated; runs: number }> {
  let best = plan
  let result: Simulated | undefined
  let runs = 0
  const fails = async (smaller: P): Promise<boolean> => {
    if (runs >= tries) return false
    runs++
    const played = await play(smaller)
    if (!played.violations.some((one) => one.rule === rule)) return false
    best = smaller
    result = played
    return true
  }
  /** Removes parts of a list, first halves of it, then smaller parts. */
  const reduce = async <K extends 'incidents' | 'actions'>(name: K): Promise<void> => {
    for (let size = Math.ceil(best[name].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = 0; at < best[name].length;) {
        const rest = (best[name] as unknown[]).toSpliced(at, size)
        if (!(await fails({ ...best, [name]: rest }))) at += size
      }
  }
  await reduce('incidents')
  // Later actions matter only to liveness.
  const last = Math.max(0, ...best.incidents.map(({ atMs }) => atMs))
  await fails({ ...best, actions: best.actions.filter(({ atMs }) => atMs <= last + 30_000) })
  await reduce('actions')
  await reduce('incidents')
  return { plan: best, result: result ?? (await play(best)), runs }
}
