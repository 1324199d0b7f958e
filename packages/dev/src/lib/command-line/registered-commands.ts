import type { CommandModule } from '@botwright/framework/start'
import type { CommandsAction } from '../registered-commands-command.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  const add = (action: CommandsAction, description: string) =>
    command
      .command(action)
      .description(description)
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
      .option('--json', 'print the result as JSON', false)
      .action(async ({ json }: { json: boolean }) => {
        const { runCommands } = await import('../registered-commands-command.ts')
        done(await runCommands(action, { folder: process.cwd(), json }))
      })
  add('list', 'Lists the commands registered at the service')
  add('diff', 'Shows what registering would change; exits with 1 if there are changes')
  add('sync', 'Registers the commands of the files, as the bot does when it starts')
  command.addHelpText(
    'after',
    '\nUses BOT_TOKEN and BOT_BASE_URL; without a token, the local service of a running "framework dev".',
  )
}
