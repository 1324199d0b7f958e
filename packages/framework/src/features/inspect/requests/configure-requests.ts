import type { CommandEntry } from '../../../program/command-entry.ts'
import { clusterOption } from '../../../program/options.ts'
import { readProgram } from '../readers.ts'
import type { RequestsOptions } from './requests-command.ts'

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .argument('[ids...]', 'requests to run again', [])
    .option('--all', 'run all of them again', false)
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .option('--from <program>', 'bot of "dev" or "start" (required if both have run here)', readProgram)
    .option('--bot <id>', 'bot with this id')
    .option(...clusterOption)
    .option('--json', 'print the result as JSON', false)
    .action(async (ids: string[], given: Omit<RequestsOptions, 'io' | 'ids'>) => {
      const { runRequests } = await import('./requests-command.ts')
      done(await runRequests({ io, ids, ...given }))
    })
}
