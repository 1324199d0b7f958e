import { keyOf } from '@botwright/dev/compile'
import type { PlayCase } from './case.ts'
import { checkCase, type Checked } from './check-case.ts'
import type { Found } from '../found.ts'
import type { PlayBot } from '../play-bot.ts'

/** Removes what a problem does not need: faults, then what people do. */
export async function shrinkCase(
  bot: PlayBot,
  one: PlayCase,
  { found, longestMs }: { found: Found; longestMs: number },
): Promise<{ play: PlayCase; checked: Checked; found: Found } | undefined> {
  // Time of the processor: other programs may be busy.
  const endMs = cpuMs() + longestMs
  let best: { play: PlayCase; checked: Checked; found: Found } | undefined
  const shows = async (smaller: PlayCase): Promise<boolean> => {
    if (cpuMs() > endMs) return false
    const checked = await checkCase(bot, smaller)
    const same = checked.found.find((each) => keyOf(each) === keyOf(found))
    if (same) best = { play: smaller, checked, found: same }
    return same !== undefined
  }
  // A play that does not show it again cannot be shrunk.
  if (!(await shows(one))) return undefined
  const now = () => best!.play
  const step = one.mode === 'together' ? 2 : 1
  const reduce = async (name: 'acts' | 'faults', least: number): Promise<void> => {
    for (
      let size = Math.ceil(now()[name].length / 2);
      size >= least;
      size = size === least ? 0 : Math.max(least, Math.ceil(size / 2))
    )
      for (let at = 0; at < now()[name].length;) {
        const rest = (now()[name] as unknown[]).toSpliced(at, size)
        if (!(await shows({ ...now(), [name]: rest }))) at += size
        if (cpuMs() > endMs) return
      }
  }
  // The rest of its time is idle.
  const lastMs = Math.max(0, ...one.acts.map(({ atMs }) => atMs))
  await shows({ ...one, lengthMs: Math.min(one.lengthMs, lastMs + 15_000) })
  await reduce('faults', 1)
  // Restarts are at fixed shares of the acts: fewer acts move them.
  await reduce('acts', step)
  await reduce('faults', 1)
  // A reader does not wait for the first step.
  const [first = 0] = [...now().acts, ...now().faults].map(({ atMs }) => atMs).sort((a, b) => a - b)
  const byMs = Math.floor(Math.max(0, first - 5000) / 1000) * 1000
  const earlier = <T extends { atMs: number }>(list: readonly T[]): T[] =>
    list.map((each) => ({ ...each, atMs: each.atMs - byMs }))
  await shows({ ...now(), lengthMs: now().lengthMs - byMs, acts: earlier(now().acts), faults: earlier(now().faults) })
  return best
}

/** The time that this process has used. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
