import type { Command } from 'commander'
import { loadEnvFile } from '../../../program/env.ts'
import type { CommandRun } from '../../../program/program-io.ts'
import type { RecordedBy } from '../../history/choose-history.ts'
import { readCount, readProgram } from '../readers.ts'
import { type BotFiles, filesOfBuild } from '../build-files.ts'
import type { StateOptions } from './state-command.ts'

interface Typed {
  state: string
  from?: RecordedBy
  bot?: string
  plugin?: string
  json: boolean
  user?: string
  channel?: string
  server?: string
  key?: string
  limit?: number
  version?: number
}

const note =
  '\nReads and writes state.db of the folder, also while the bot runs. Values are shown as they are stored, with the version of the' +
  '\nstate that wrote them: nothing is migrated. The state of a cluster and of a store from bot.config.ts is not in this file.'

/**
 * Declares `framework state`. `read` reads the files of the bot, for `set`: those of the build, unless the command of `@botwright/dev`
 * passes another one, which resolves with undefined after it has printed problems.
 */
export function configure(
  command: Command,
  { done, io }: CommandRun,
  read: () => Promise<BotFiles | undefined> = async () => {
    loadEnvFile(io.cwd, io.env)
    return filesOfBuild(io)
  },
): void {
  const add = (usage: string, description: string): Command =>
    command
      .command(usage)
      .description(description)
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
      .option('--plugin <name>', 'a state of this plugin, by its name in bot.config.ts')
      .option('--state <folder>', "folder of the bot's state", '.botwright')
      .option('--from <program>', 'bot of "dev" or "start" (required if both have run here)', readProgram)
      .option('--bot <id>', 'bot with this id')
      .option('--json', 'print the result as JSON', false)
  const withOwner = (one: Command): Command =>
    one
      .option('--user <id>', 'owner of a state per user or member')
      .option('--channel <id>', 'owner of a state per channel')
      .option('--server <id>', 'owner of a state per server or member')
      .option('--key <key>', 'key of a state per key')
  const common = ({ state, from, bot, plugin, json, user, channel, server, key }: Typed): StateOptions => ({
    io,
    state,
    json,
    owner: {
      ...(user !== undefined && { user_id: user }),
      ...(channel !== undefined && { channel_id: channel }),
      ...(server !== undefined && { server_id: server }),
      ...(key !== undefined && { key }),
    },
    ...(from !== undefined && { from }),
    ...(bot !== undefined && { bot }),
    ...(plugin !== undefined && { plugin }),
  })
  add('list [name]', 'Lists stored values, or those of one state')
    .option('-n, --limit <count>', 'number of values', readCount, 100)
    .action(async (name: string | undefined, typed: Typed) => {
      const { listStates } = await import('./state-command.ts')
      done(await listStates({ ...common(typed), limit: typed.limit!, ...(name !== undefined && { name }) }))
    })
  withOwner(add('get <name>', 'Prints the stored value of one owner')).action(async (name: string, typed: Typed) => {
    const { getState } = await import('./state-command.ts')
    done(await getState(name, common(typed)))
  })
  withOwner(add('set <name> <json>', 'Stores a value for one owner; "-" reads it from standard input'))
    .option('--version <number>', 'version of the value (default: that of the files)', readCount)
    .action(async (name: string, json: string, typed: Typed) => {
      const { setState } = await import('./state-command.ts')
      done(await setState(name, json, common(typed), { version: typed.version, read }))
    })
  command.addHelpText('after', note)
}
