import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { featureCommands } from '../features/inspect/commands.ts'
import { exitCodeOf } from '../program/exit-codes.ts'
import { Shutdown } from './shutdown.ts'
import { loadEnvFile } from '../program/env.ts'
import { readPackageJson } from '../program/package-json.ts'
import { readWorkers } from '../program/options.ts'
import type { CommandEntry, DevEntry } from '../program/command-entry.ts'
import { startWorker } from '../runtime/threads/bare-worker.ts'

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
  const { commands } = (await import(pathToFileURL(path).href)) as { commands: readonly DevEntry[] }
  return withOwn(commands)
}

/** The table of `@botwright/dev`, and the commands of this package that it does not replace. */
export function withOwn(commands: readonly DevEntry[]): FoundCommands {
  const own = new Map(ownCommands.map((command) => [command.name, command]))
  // A command of dev replaces the one with the same name, because it can do more. It shows the examples of both.
  const all = commands.map((command) => {
    const replaced = own.get(command.name)
    own.delete(command.name)
    const examples = [...(replaced?.examples ?? []), ...(command.examples ?? [])]
    return { ...replaced, ...command, examples } as CommandEntry
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
  ...featureCommands,
]
