import type { CommandModule } from './command-entry.ts'
import { Shutdown } from '../shutdown.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .argument('[folder]', 'what "framework build" made', 'dist')
    .option('--state <folder>', 'where the journal is kept (default: .botwright)')
    .addHelpText(
      'after',
      '\nIt reads BOT_TOKEN and BOT_BASE_URL from the environment or from .env, and ends by SIGTERM or Ctrl-C.',
    )
    .action(async (folder: string, { state }: { state?: string }) => {
      const { startCommand } = await import('../start-command.ts')
      done(await startCommand({ folder, ...(state !== undefined && { stateDir: state }) }, new Shutdown()))
    })
}
