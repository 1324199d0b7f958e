import type { CommandModule } from './command-entry.ts'
import { readEventIds } from './read-event-ids.ts'

interface Options {
  cluster?: string
  json: boolean
  all?: boolean
}

const where = 'the Redis at which the machines meet (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)'

export const configure: CommandModule['configure'] = (command, done) => {
  command.addHelpText(
    'after',
    '\nIt reads BOT_TOKEN, BOT_BASE_URL and BOT_CLUSTER_URL from the environment or from .env. No bot needs to run here.' +
      '\n\nExit codes: 0 fine, 69 nobody leads (status), 77 the token is refused, 78 the configuration, the environment or a package is' +
      '\nwrong, 1 anything else (Redis does not answer, an event is not set aside), 2 it was typed wrong.',
  )
  command
    .command('status')
    .description('Shows the machines, the leader, the position and its lag, what waits, and what was set aside')
    .option('--json', 'answer in JSON', false)
    .option('--cluster <url>', where)
    .helpOption('-h, --help', 'prints this help')
    .exitOverride()
    .action(async ({ json, cluster }: Options) => {
      const { clusterStatusCommand } = await import('../cluster/status-command.ts')
      done(await clusterStatusCommand({ json, ...(cluster !== undefined && { url: cluster }) }))
    })
  const replay = command
    .command('replay')
    .description('Runs events again that were set aside, on any machine')
    .argument('[ids...]', 'events to run again, as framework cluster status names them', readEventIds, [])
    .option('--all', 'run all of them again', false)
    .option('--json', 'answer in JSON', false)
    .option('--cluster <url>', where)
    .helpOption('-h, --help', 'prints this help')
    .exitOverride()
    .action(async (ids: number[], { json, all, cluster }: Options) => {
      if (all === ids.length > 0) replay.error('error: give ids or --all, one of the two')
      const { clusterReplayCommand } = await import('../cluster/replay-command.ts')
      done(await clusterReplayCommand({ ids: all ? 'all' : ids, json, ...(cluster !== undefined && { url: cluster }) }))
    })
}
