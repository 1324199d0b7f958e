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
    .argument('[ids...]', 'events to run again, as --list names them', readEventIds, [])
    .option('--list', 'list the events that were set aside (default without ids)', false)
    .option('--all', 'run all of them again', false)
    .option('--json', 'answer in JSON', false)
    .option('--state <folder>', 'where the journal is kept', '.botwright')
    .addHelpText(
      'after',
      '\nAn event is set aside when its handler has brought the bot down 3 times. A running bot takes it up at once,\nanother one when it starts.',
    )
    .action(async (ids: number[], { list, all, json, state }: Options) => {
      if ([list, all, ids.length > 0].filter(Boolean).length > 1)
        command.error('error: give --list, --all or ids, one of the three')
      const { replayCommand } = await import('../delivery/replay-command.ts')
      done(await replayCommand({ ids, all, json, stateDir: state }))
    })
}
