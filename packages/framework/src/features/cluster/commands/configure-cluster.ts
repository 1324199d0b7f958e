import { type Command, InvalidArgumentError } from 'commander'
import { clusterOption, readEventIds } from '../../../program/options.ts'
import { wholeNumber } from '../../../program/whole-number.ts'
import type { CommandRun } from '../../../program/program-io.ts'

/** Parses the argument of `cluster partitions`. */
function readPartitionCount(text: string): number {
  const count = wholeNumber(text)
  if (!(count >= 1 && count <= 1024)) throw new InvalidArgumentError('must be a number from 1 to 1024')
  return count
}

/** Declares `framework cluster`. */
export function configure(command: Command, { done, io }: CommandRun): void {
  command.addHelpText(
    'after',
    '\nReads BOT_TOKEN, BOT_BASE_URL and BOT_CLUSTER_URL from the environment or from .env. The bot does not have to run here.' +
      '\n\nExit codes: 0 success, 69 no leader (status), 77 token refused, 78 wrong configuration or environment, or a missing' +
      '\npackage, 1 any other failure (Redis does not respond, an event is not set aside), 2 usage error.',
  )
  command
    .command('status')
    .description('Shows instances, leader, position in the feed, lag, and the events that are waiting or set aside')
    .option('--json', 'print the result as JSON', false)
    .option(...clusterOption)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(async ({ json, cluster }: { json: boolean; cluster?: string }) => {
      const { clusterStatusCommand } = await import('./cluster-commands.ts')
      done(await clusterStatusCommand({ json, io, ...(cluster !== undefined && { url: cluster }) }))
    })
  const replay = command
    .command('replay')
    .description('Reruns events that were set aside, on any instance')
    .argument('[ids...]', 'ids of the events, from framework cluster status', readEventIds, [])
    .option('--all', 'rerun all of them', false)
    .option('--json', 'print the result as JSON', false)
    .option(...clusterOption)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(async (ids: number[], { json, all, cluster }: { json: boolean; all: boolean; cluster?: string }) => {
      if (all === ids.length > 0) replay.error('error: pass either ids or --all')
      const { clusterReplayCommand } = await import('./cluster-commands.ts')
      const url = cluster !== undefined && { url: cluster }
      done(await clusterReplayCommand({ ids: all ? 'all' : ids, json, io, ...url }))
    })
  command
    .command('partitions')
    .description('Changes the number of partitions (64) while all instances are stopped')
    .argument('<count>', 'from 1 to 1024', readPartitionCount)
    .option(...clusterOption)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(async (partitions: number, { cluster }: { cluster?: string }) => {
      const { clusterPartitionsCommand } = await import('./cluster-commands.ts')
      done(await clusterPartitionsCommand({ partitions, io, ...(cluster !== undefined && { url: cluster }) }))
    })
}
