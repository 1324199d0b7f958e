import { Option } from 'commander'
import type { CommandEntry } from '@botwright/framework/start'
import { readSchedule } from './readers.ts'

const MINUTE_MS = 60_000

/** `framework build`. */
export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option('--out <folder>', 'output folder', 'dist')
    .addOption(
      new Option('--target <target>', 'start: for framework start; fetch: functions, as one module')
        .choices(['start', 'fetch'])
        .default('start'),
    )
    .addOption(
      new Option('--every <duration>', 'with --target fetch: how often the platform calls scheduled')
        .argParser(readSchedule)
        .default(MINUTE_MS, '1m'),
    )
    .action(async ({ out, target, every }: { out: string; target: string; every: number }) => {
      const { runBuild } = await import('../build/build-command.ts')
      done(await runBuild({ io, out, functions: target === 'fetch' ? { everyMs: every } : undefined }))
    })
}
