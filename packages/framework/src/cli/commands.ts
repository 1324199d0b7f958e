import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ExplainedEvent } from './explain/explain-command.ts'
import { exitCodeOf } from './exit-codes.ts'
import { Shutdown } from './shutdown.ts'
import { loadEnvFile } from './env.ts'
import { readPackageJson } from './package-json.ts'
import type { ProgramIo } from './program-io.ts'
import { readLimit, readPartitionCount, readRunId, readRunState, readWorkers, runStates } from './readers.ts'
import { startWorker } from '../runtime/threads/bare-worker.ts'

/** The heading of the help that a command is listed under. */
export type CommandGroup = 'Everyday commands' | 'Talk to the bot' | 'Inspect a bot' | 'Running'

/** One run of a command. */
export interface CommandRun {
  io: ProgramIo
  /** The action passes the exit code to it: 0 for success, 1 for failure; commander itself ends a usage error with 2. */
  done: (code: number) => void
}

/** One command of the program `framework`: a row of the table. */
export interface CommandEntry {
  name: string
  group: CommandGroup
  /** One line. */
  description: string
  /** Complete command lines. */
  examples: readonly string[]
  /**
   * Declares the arguments, the options and the action of the command. Anything slow to load is imported by the
   * action.
   */
  configure(command: Command, run: CommandRun): void | Promise<void>
  /** The exit code for an error that the user can fix; 1 if omitted. */
  exitCodeOf?: (error: unknown) => number
}

/** The commands that are available here. `hasDev` is false if `@botwright/dev` is not installed, as in production. */
export interface FoundCommands {
  commands: readonly CommandEntry[]
  hasDev: boolean
}

/**
 * Adds the table of `@botwright/dev`, resolved from the bot's folder: framework itself does not depend on dev. `framework service`
 * needs no bot, so outside of a project it uses the one that is installed beside this package.
 */
export async function findCommands(folder: string, name: string | undefined): Promise<FoundCommands> {
  const path =
    resolveDev(join(folder, 'package.json')) ?? (name === 'service' ? resolveDev(import.meta.url) : undefined)
  if (path === undefined) return { commands: ownCommands, hasDev: false }
  const { commands } = (await import(pathToFileURL(path).href)) as { commands: readonly CommandEntry[] }
  return withOwn(commands)
}

/** The table of `@botwright/dev`, and the commands of this package that it does not replace. */
export function withOwn(commands: readonly CommandEntry[]): FoundCommands {
  const own = new Map(ownCommands.map((command) => [command.name, command]))
  // A command of dev replaces the one with the same name, because it can do more. It shows the examples of both.
  const all = commands.map((command) => {
    const { examples = [] } = own.get(command.name) ?? {}
    own.delete(command.name)
    return { ...command, examples: [...examples, ...command.examples] }
  })
  return { commands: [...all, ...own.values()], hasDev: true }
}

function resolveDev(from: string): string | undefined {
  try {
    return createRequire(from).resolve('@botwright/dev')
  } catch (error) {
    // Not installed there, as in production.
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    // The usual reason is the bot's package.json.
    readPackageJson(dirname(from))
    throw error
  }
}

/** Parses an event id, as in `1042` or, as histories show it, `#1042`. */
export function readEventId(text: string): number {
  const id = /^#?\d+$/.test(text) ? Number(text.replace('#', '')) : 0
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('an event id is a number, such as 1042')
  return id
}

/** Parses an event id and appends it to the previous ones. */
export const readEventIds = (text: string, before: unknown): number[] => [...(before as number[]), readEventId(text)]

/** Parses the argument of `explain`. */
function readExplained(text: string): ExplainedEvent {
  if (text === 'last') return text
  if (/^[a-z]+ \//i.test(text)) return { route: text.replace(/^\S+/, (method) => method.toUpperCase()) }
  if (/^[a-z][\w/-]*$/i.test(text)) return { task: text.replace(/^tasks\//, '') }
  return readEventId(text)
}

/** Declares the arguments and options of `explain`; the command of `@botwright/dev` adds to them. */
export function configureExplain(command: Command): Command {
  return command
    .argument(
      '[event]',
      'the id of an event, "last" for the newest, or a task or route ("POST /github") for its newest run (default: list the newest)',
      readExplained,
    )
    .option(
      '--html <file>',
      'write a self-contained HTML file of the event, or of the newest 1,000 events if you pass none',
    )
    .option('--json', 'print JSON', false)
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .addOption(
      new Option('--from <program>', 'history of "dev" or "start" (default: the newer one)').choices(['dev', 'start']),
    )
    .addHelpText(
      'after',
      '\n"framework dev" always records; "framework start" records with record: true in bot.config.ts.' +
        '\nLinks open VS Code. For another editor, set BOT_EDITOR_LINK, such as idea://open?file={file}&line={line}',
    )
}

/** The options of `explain`. */
export interface ExplainGiven {
  html?: string
  json: boolean
  state: string
  from?: 'dev' | 'start'
}

const clusterOption = [
  '--cluster <url>',
  'the Redis that the instances share (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)',
] as const

interface RunsTyped {
  json: boolean
  state?: string
  bot?: string
  cluster?: string
}

const runsOptions = ({ json, state, bot, cluster }: RunsTyped, io: ProgramIo) => ({
  json,
  io,
  ...(state !== undefined && { stateDir: state }),
  ...(bot !== undefined && { botId: bot }),
  ...(cluster !== undefined && { url: cluster }),
})

interface StartOptions {
  state?: string
  workers?: number
  cluster?: string
  controlActions?: boolean
}

/** The commands that need no development packages; the others are in the table of `@botwright/dev`. */
export const ownCommands: readonly CommandEntry[] = [
  {
    name: 'start',
    group: 'Running',
    description: 'Runs a built bot until it receives a signal',
    exitCodeOf,
    examples: [
      'framework start',
      'framework start build --state /var/lib/my-bot',
      'framework start --cluster redis://127.0.0.1:6379',
    ],
    configure: (command, { done, io }) =>
      void command
        .argument('[folder]', 'the folder that "framework build" wrote', 'dist')
        .option('--state <folder>', 'folder of the journal (default: .botwright)')
        .option(
          '--workers <number>',
          'threads that run handlers (default: limits.workers of bot.config.ts, or 1)',
          readWorkers,
        )
        .option(
          '--cluster <url>',
          'run as one instance of a cluster that shares this Redis (default: BOT_CLUSTER_URL, or none)',
        )
        .option('--control-actions', 'let the control room replay events, cancel durable runs and switch files off')
        .addHelpText(
          'after',
          '\nReads BOT_TOKEN and BOT_BASE_URL from the environment or from .env. Stop it with SIGTERM or Ctrl-C.',
        )
        .action(async (folder: string, given: StartOptions) => {
          // Handle signals from now on, even while the rest is loading.
          const shutdown = new Shutdown(io.signals)
          const { state, workers, cluster, controlActions } = given
          loadEnvFile(io.cwd, io.env)
          // A thread takes as long to start as the program takes to load. It copies the environment.
          const threads = [startWorker({ io })]
          const { startCommand } = await import('./start-command.ts')
          const options = {
            ...(cluster !== undefined && { clusterUrl: cluster }),
            ...(state !== undefined && { stateDir: state }),
            ...(workers !== undefined && { workers }),
            ...(controlActions && { controlActions }),
          }
          done(await Promise.race([startCommand({ folder, io, ...options }, shutdown, threads), shutdown.second]))
        }),
  },
  {
    name: 'replay',
    group: 'Running',
    description: 'Lists events that were set aside, and reruns them',
    examples: ['framework replay --list', 'framework replay 1042', 'framework replay --all --state /var/lib/my-bot'],
    configure: (command, { done, io }) =>
      void command
        .argument('[ids...]', 'ids of the events, from --list', readEventIds, [])
        .option('--list', 'list the events that were set aside (default)', false)
        .option('--all', 'rerun all of them', false)
        .option('--json', 'print the result as JSON', false)
        .option('--state <folder>', 'folder of the journal', '.botwright')
        .addHelpText(
          'after',
          '\nAn event is set aside if it cannot run, for example because its handler crashed its worker 3 times. A running bot reruns it at once;\na stopped bot reruns it when it starts.',
        )
        .action(async (ids: number[], given: { list: boolean; all: boolean; json: boolean; state: string }) => {
          const { list, all, json, state } = given
          if ([list, all, ids.length > 0].filter(Boolean).length > 1)
            command.error('error: pass one of --list, --all or ids')
          const { replayCommand } = await import('./replay-command.ts')
          done(await replayCommand({ ids, all, json, stateDir: state, io }))
        }),
  },
  {
    name: 'runs',
    group: 'Running',
    description: 'Lists the runs of durable handlers, cancels them, and runs failed ones again',
    exitCodeOf,
    examples: [
      'framework runs list',
      'framework runs list --status failed --json',
      'framework runs show 1042',
      'framework runs cancel 1042',
      'framework runs retry 1042 --cluster redis://127.0.0.1:6379',
    ],
    configure(command, { done, io }) {
      const add = (usage: string, description: string): Command =>
        command
          .command(usage)
          .description(description)
          .option('--json', 'print the result as JSON', false)
          .option('--state <folder>', "folder of the bot's state (default: .botwright)")
          .option('--bot <id>', 'bot with this id (required if several have the run)')
          .option(...clusterOption)
          .helpOption('-h, --help', 'print this help')
          .exitOverride()
      const load = () => import('./runs/runs-command.ts')
      command.addHelpText(
        'after',
        '\nA run is stored from its first wait until one day after it ends. A running bot carries out a request within a second;\na stopped bot when it starts. The runs of a store from bot.config.ts are only in the control room.',
      )
      add('list', 'Lists the stored runs, the newest first')
        .option('--status <status>', `only runs that are ${runStates.join(', ')}`, readRunState)
        .option('-n, --limit <count>', 'number of runs', readLimit, 100)
        .action(async (typed: RunsTyped & { status?: (typeof runStates)[number]; limit: number }) => {
          const { listRuns } = await load()
          const { status, limit } = typed
          done(await listRuns({ ...runsOptions(typed, io), limit, ...(status !== undefined && { status }) }))
        })
      const withId = (usage: string, description: string) =>
        add(usage, description).argument('<id>', 'id of the run, from framework runs list', readRunId)
      withId('show', 'Shows a run, with its steps if it waits or has failed').action(
        async (id: string, typed: RunsTyped) => {
          const { showRun } = await load()
          done(await showRun(id, runsOptions(typed, io)))
        },
      )
      withId('cancel', 'Cancels a run that waits: its handler cleans up, and its user is notified').action(
        async (id: string, typed: RunsTyped) => {
          const { requestRun } = await load()
          done(await requestRun(id, 'cancel', runsOptions(typed, io)))
        },
      )
      withId('retry', 'Runs a failed run again from its beginning').action(async (id: string, typed: RunsTyped) => {
        const { requestRun } = await load()
        done(await requestRun(id, 'retry', runsOptions(typed, io)))
      })
    },
  },
  {
    name: 'off',
    group: 'Running',
    description: 'Switches off a command, button, event file, task or route without a deployment; lists what is off',
    exitCodeOf,
    examples: [
      'framework off',
      'framework off /roll --reason "the dice are being repaired"',
      'framework off buttons/vote --server Workshop',
      'framework off /roll --cluster redis://127.0.0.1:6379',
    ],
    configure: async (command, run) => (await import('./switch-commands.ts')).configure(command, 'off', run),
  },
  {
    name: 'on',
    group: 'Running',
    description: 'Switches on what "framework off" has switched off',
    exitCodeOf,
    examples: ['framework on /roll', 'framework on buttons/vote --server Workshop'],
    configure: async (command, run) => (await import('./switch-commands.ts')).configure(command, 'on', run),
  },
  {
    name: 'explain',
    group: 'Inspect a bot',
    description: 'Shows what the bot did for an event, step by step, and why it failed',
    examples: ['framework explain', 'framework explain last', 'framework explain 1042 --html why.html'],
    configure: (command, { done, io }) =>
      void configureExplain(command).action(async (event: ExplainedEvent | undefined, given: ExplainGiven) => {
        loadEnvFile(io.cwd, io.env)
        const { explainCommand } = await import('./explain/explain-command.ts')
        done(await explainCommand({ ...given, ...(event !== undefined && { event }), io }))
      }),
  },
  {
    name: 'cluster',
    group: 'Running',
    description: 'Inspects a bot that runs as a cluster, and reruns events that were set aside',
    examples: [
      'framework cluster status',
      'framework cluster status --json',
      'framework cluster replay 1042',
      'framework cluster replay --all --cluster redis://127.0.0.1:6379',
      'framework cluster partitions 128',
    ],
    exitCodeOf,
    configure(command, { done, io }) {
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
          const { clusterStatusCommand } = await import('./cluster/cluster-commands.ts')
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
          const { clusterReplayCommand } = await import('./cluster/cluster-commands.ts')
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
          const { clusterPartitionsCommand } = await import('./cluster/cluster-commands.ts')
          done(await clusterPartitionsCommand({ partitions, io, ...(cluster !== undefined && { url: cluster }) }))
        })
    },
  },
]
