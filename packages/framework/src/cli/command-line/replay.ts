import type { CommandModule } from './command-entry.ts'
import { readEventIds } from './read-event-ids.ts'

interface Options {
  list: boolean
  all: boolean
  json: boolean
  state: string
}

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .argument('[ids...]', 'ids of the events, from --list', readEventIds, [])
    .option('--list', 'list the events that were set aside (default)', false)
    .option('--all', 'rerun all of them', false)
    .option('--json', 'print the result as JSON', false)
    .option('--state <folder>', 'folder of the journal', '.botwright')
    .addHelpText(
      'after',
      '\nAn event is set aside after its handler has crashed the bot 3 times. A running bot runs it again at once;\na stopped bot when it starts.',
    )
    .action(async (ids: number[], { list, all, json, state }: Options) => {
      if ([list, all, ids.length > 0].filter(Boolean).length > 1)
        command.error('error: pass one of --list, --all or ids')
      const { replayCommand } = await import('../replay-command.ts')
      done(await replayCommand({ ids, all, json, stateDir: state }))
    })
}
