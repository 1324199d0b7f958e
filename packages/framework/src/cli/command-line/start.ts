import type { CommandModule } from './command-entry.ts'
import { readWorkers } from './read-workers.ts'
import { Shutdown } from '../shutdown.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .argument('[folder]', 'the folder that "framework build" wrote', 'dist')
    .option('--state <folder>', 'folder of the journal (default: .botwright)')
    .option(
      '--workers <number>',
      'threads that run handlers (default: limits.workers of bot.config.ts, or 1)',
      readWorkers,
    )
    .option(
      '--cluster <url>',
      'run as one instance of a cluster that shares this Redis (default: BOT_CLUSTER_URL, or none)',
    )
    .addHelpText(
      'after',
      '\nReads BOT_TOKEN and BOT_BASE_URL from the environment or from .env. Stop it with SIGTERM or Ctrl-C.',
    )
    .action(
      async (folder: string, { state, workers, cluster }: { state?: string; workers?: number; cluster?: string }) => {
        // A signal counts from the first moment, the loading of the rest included.
        const shutdown = new Shutdown()
        const { startCommand } = await import('../start-command.ts')
        const given = {
          ...(cluster !== undefined && { clusterUrl: cluster }),
          ...(state !== undefined && { stateDir: state }),
          ...(workers !== undefined && { workers }),
        }
        done(await startCommand({ folder, ...given }, shutdown))
      },
    )
}
