import { runSimulation } from '@botwright/dev/compile'
import { fileURLToPath } from 'node:url'

/**
 * Plays a case that `framework simulate --save` has written, and returns its faults, one text each: `commands/pay.ts:9: …`.
 * `root`: the bot's folder.
 */
export async function playCase(
  root: string | URL,
  play: object,
  { env = {} }: { env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> {
  const path = root instanceof URL ? fileURLToPath(root) : root
  const { findings } = await runSimulation({
    root: path.replace(/[\\/]$/, ''),
    first: 1,
    seeds: 1,
    minutes: 1,
    faults: [],
    env,
    play,
  })
  return findings
    .filter(({ severity }) => severity === 'fault')
    .map(({ file, line, text }) => `${file}${line === undefined ? '' : `:${line}`}: ${text}`)
}
