import { keyOf } from '@botwright/dev/compile'
import type { Act, PlayCase } from './case.ts'
import { checkCase, type Checked } from './check-case.ts'
import type { Found } from '../found.ts'
import type { PlayBot } from '../play-bot.ts'

/** The bot answers meanwhile. */
const IDLE_MS = 15_000
/** Plays that a reader waits for. */
const MOST_TRIES = 150

/** Removes what a problem does not need: faults, then what people do. */
export async function shrinkCase(
  bot: PlayBot,
  one: PlayCase,
  { found, longestMs }: { found: Found; longestMs: number },
): Promise<{ play: PlayCase; checked: Checked; found: Found } | undefined> {
  // Time of the processor: other programs may be busy.
  const endMs = cpuMs() + longestMs
  let best: { play: PlayCase; checked: Checked; found: Found } | undefined
  let tries = 0
  const isOver = () => tries >= MOST_TRIES || cpuMs() > endMs
  const shows = async (smaller: PlayCase): Promise<boolean> => {
    if (isOver()) return false
    tries++
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
        if (isOver()) return
      }
  }
  // Later acts are not part of it, and the rest of its time is idle.
  const act = best!.found.when?.act ?? one.acts.length - 1
  const isCut = act >= 0 && (await shows(shortened(one, one.acts.slice(0, Math.ceil((act + 1) / step) * step))))
  if (!isCut) await shows(shortened(one, one.acts))
  // Most problems are about one person, or one place.
  const last = now().acts.at(-1)
  if (step === 1 && last)
    for (const key of ['person', 'place'] as const) {
      const some = now().acts.filter((each) => each[key] === last[key])
      if (some.length < now().acts.length) await shows({ ...now(), acts: some })
    }
  await reduce('faults', 1)
  // Restarts are at fixed shares of the acts: fewer acts move them.
  await reduce('acts', step)
  await reduce('faults', 1)
  await shows(shortened(now(), now().acts))
  // A reader does not wait for the first step.
  const [first = 0] = [...now().acts, ...now().faults].map(({ atMs }) => atMs).sort((a, b) => a - b)
  const byMs = Math.floor(Math.max(0, first - 5000) / 1000) * 1000
  const earlier = <T extends { atMs: number }>(list: readonly T[]): T[] =>
    list.map((each) => ({ ...each, atMs: each.atMs - byMs }))
  await shows({ ...now(), lengthMs: now().lengthMs - byMs, acts: earlier(now().acts), faults: earlier(now().faults) })
  return best
}

/** A case that ends soon after these acts. */
function shortened(one: PlayCase, acts: Act[]): PlayCase {
  const lastMs = Math.max(0, ...acts.map(({ atMs }) => atMs))
  const lengthMs = Math.min(one.lengthMs, lastMs + IDLE_MS)
  return { ...one, acts, lengthMs, faults: one.faults.filter(({ atMs }) => atMs <= lengthMs) }
}

/** The time that this process has used. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
