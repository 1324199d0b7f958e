import type { Command } from 'commander'
import type { CommandRun } from '../../../program/program-io.ts'
import type { DoctorOptions } from './doctor.ts'

/**
 * Declares `framework doctor`. It examines the build of a bot, unless the command of `@botwright/dev` passes a function that loads the
 * sources.
 */
export function configure(
  command: Command,
  { done, io }: CommandRun,
  sources?: () => Promise<Pick<DoctorOptions, 'io' | 'lookAtFiles'>>,
): void {
  command
    .option('--build <folder>', 'the folder that "framework build" wrote (default: dist, or the sources of the bot)')
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .option('--json', 'print the result as JSON', false)
    .action(async ({ build, state, json }: { build?: string; state: string; json: boolean }) => {
      const [{ runDoctor }, { lookAtBuild }] = await Promise.all([import('./doctor.ts'), import('./look-at-build.ts')])
      const found = build === undefined ? await sources?.() : undefined
      done(await runDoctor({ io, state, json, lookAtFiles: () => lookAtBuild(io, build ?? 'dist'), ...found }))
    })
}
