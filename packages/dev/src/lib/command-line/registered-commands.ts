import type { CommandModule } from '@botwright/framework/start'
import type { CommandsAction } from '../registered-commands-command.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  const add = (action: CommandsAction, description: string) =>
    command
      .command(action)
      .description(description)
      .helpOption('-h, --help', 'prints this help')
      .exitOverride()
      .option('--json', 'print the result as JSON', false)
      .action(async ({ json }: { json: boolean }) => {
        const { runCommands } = await import('../registered-commands-command.ts')
        done(await runCommands(action, { folder: process.cwd(), json }))
      })
  add('list', 'Prints the commands that the service knows')
  add('diff', 'Prints what a registration would change; exit code 1 when it would')
  add('sync', 'Registers the commands of the files, as each start of the bot does')
  command.addHelpText(
    'after',
    '\nThe service and the bot are those of BOT_TOKEN and BOT_BASE_URL; without a token those of a running "framework dev".',
  )
}
