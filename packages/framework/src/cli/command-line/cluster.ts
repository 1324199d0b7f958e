import type { CommandModule } from './command-entry.ts'
import { readEventIds } from './read-event-ids.ts'

interface Options {
  cluster?: string
  json: boolean
  all?: boolean
}

const where = 'the Redis that the instances share (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)'

export const configure: CommandModule['configure'] = (command, done) => {
  command.addHelpText(
    'after',
    '\nReads BOT_TOKEN, BOT_BASE_URL and BOT_CLUSTER_URL from the environment or from .env. It works without a bot running here.' +
      '\n\nExit codes: 0 success, 69 no leader (status), 77 token refused, 78 wrong configuration or environment, or a missing' +
      '\npackage, 1 any other failure (Redis does not respond, an event is not set aside), 2 usage error.',
  )
  command
    .command('status')
    .description('Shows instances, leader, position in the feed, lag, and the events that wait or were set aside')
    .option('--json', 'print the result as JSON', false)
    .option('--cluster <url>', where)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(async ({ json, cluster }: Options) => {
      const { clusterStatusCommand } = await import('../cluster/status-command.ts')
      done(await clusterStatusCommand({ json, ...(cluster !== undefined && { url: cluster }) }))
    })
  const replay = command
    .command('replay')
    .description('Reruns events that were set aside, on any instance')
    .argument('[ids...]', 'ids of the events, from framework cluster status', readEventIds, [])
    .option('--all', 'rerun all of them', false)
    .option('--json', 'print the result as JSON', false)
    .option('--cluster <url>', where)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(async (ids: number[], { json, all, cluster }: Options) => {
      if (all === ids.length > 0) replay.error('error: pass either ids or --all')
      const { clusterReplayCommand } = await import('../cluster/replay-command.ts')
      done(await clusterReplayCommand({ ids: all ? 'all' : ids, json, ...(cluster !== undefined && { url: cluster }) }))
    })
}
