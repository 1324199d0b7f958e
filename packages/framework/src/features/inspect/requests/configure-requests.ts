import type { CommandEntry } from '@botwright/framework/start'
import type { RequestsOptions } from '../commands/requests-command.ts'
import { readProgram } from './readers.ts'

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .argument('[ids...]', 'requests to run again', [])
    .option('--all', 'run all of them again', false)
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .option('--from <program>', 'bot of "dev" or "start" (required if both have run here)', readProgram)
    .option('--bot <id>', 'bot with this id')
    .option(
      '--cluster <url>',
      'the Redis that the instances share (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)',
    )
    .option('--json', 'print the result as JSON', false)
    .action(async (ids: string[], given: Omit<RequestsOptions, 'io' | 'ids'>) => {
      const { runRequests } = await import('../commands/requests-command.ts')
      done(await runRequests({ io, ids, ...given }))
    })
}
