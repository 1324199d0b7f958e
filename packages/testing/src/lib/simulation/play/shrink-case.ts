import { keyOf } from '@botwright/dev/compile'
import type { PlayCase } from './case.ts'
import { checkCase, type Checked } from './check-case.ts'
import type { Found } from './found.ts'
import type { PlayBot } from './play-bot.ts'
import { real } from '../real.ts'

/** Removes what a problem does not need: faults, then what people do. */
export async function shrinkCase(
  bot: PlayBot,
  one: PlayCase,
  { found, longestMs }: { found: Found; longestMs: number },
): Promise<{ play: PlayCase; checked: Checked; found: Found } | undefined> {
  const endMs = real.Date.now() + longestMs
  let best: { play: PlayCase; checked: Checked; found: Found } | undefined
  const shows = async (smaller: PlayCase): Promise<boolean> => {
    if (real.Date.now() > endMs) return false
    const checked = await checkCase(bot, smaller)
    const same = checked.found.find((each) => keyOf(each) === keyOf(found))
    if (same) best = { play: smaller, checked, found: same }
    return same !== undefined
  }
  // A play that does not show it again cannot be shrunk.
  if (!(await shows(one))) return undefined
  const now = () => best!.play
  const step = one.mode === 'together' ? 2 : 1
  const reduce = async (name: 'deeds' | 'faults', least: number): Promise<void> => {
    for (
      let size = Math.ceil(now()[name].length / 2);
      size >= least;
      size = size === least ? 0 : Math.max(least, Math.ceil(size / 2))
    )
      for (let at = 0; at < now()[name].length;) {
        const rest = (now()[name] as unknown[]).toSpliced(at, size)
        if (!(await shows({ ...now(), [name]: rest }))) at += size
        if (real.Date.now() > endMs) return
      }
  }
  await reduce('faults', 1)
  // Restarts are at fixed shares of the deeds: fewer deeds move them.
  await reduce('deeds', step)
  await reduce('faults', 1)
  return best
}
