import type { CommandModule } from './command-entry.ts'
import { readWorkers } from './read-workers.ts'
import { Shutdown } from '../shutdown.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .argument('[folder]', 'what "framework build" made', 'dist')
    .option('--state <folder>', 'where the journal is kept (default: .botwright)')
    .option(
      '--workers <number>',
      'threads that run handlers (default: limits.workers of bot.config.ts, or 1)',
      readWorkers,
    )
    .option(
      '--cluster <url>',
      'run as one of many machines, which meet at this Redis (default: BOT_CLUSTER_URL, or none)',
    )
    .addHelpText(
      'after',
      '\nIt reads BOT_TOKEN and BOT_BASE_URL from the environment or from .env, and ends by SIGTERM or Ctrl-C.',
    )
    .action(
      async (folder: string, { state, workers, cluster }: { state?: string; workers?: number; cluster?: string }) => {
        const { startCommand } = await import('../start-command.ts')
        const given = {
          ...(cluster !== undefined && { clusterUrl: cluster }),
          ...(state !== undefined && { stateDir: state }),
          ...(workers !== undefined && { workers }),
        }
        done(await startCommand({ folder, ...given }, new Shutdown()))
      },
    )
}
