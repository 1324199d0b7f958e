// The program `framework`. `start` is a bot's cold start: nothing is loaded for it but what it runs.
import { printable } from '@botwright/protocol/facts'
import { spawnEarly } from '../runtime/threads/bare-worker.ts'
import { filterOutput } from './clean-output.ts'
import { loadStart } from './cold-start/load-start.ts'
import { describeCrash } from './crash.ts'
import { loadEnvFile } from './env.ts'
import { exitCodeOf } from './exit-codes.ts'
import { endWithRunner } from './runner-watch.ts'
import type { StartCommandOptions } from './start-command.ts'
import { Shutdown } from './shutdown.ts'

const argv = process.argv.slice(2)

// The one place that all output passes, `console.log` of the bot's code included: only the log writes by itself, and escapes by itself.
filterOutput(printable)

async function main(): Promise<number> {
  const start = argv[0] === 'start' && readStart(argv.slice(1))
  if (start) {
    // A signal counts from the first moment, the loading of the rest included.
    const shutdown = new Shutdown()
    // Before the first worker: its environment is a copy.
    loadEnvFile(process.cwd())
    spawnEarly()
    return loadStart(start.folder).startCommand(start, shutdown)
  }
  const { runProgram } = await import('./cli-program.ts')
  return runProgram(argv)
}

/** The arguments of `start`; undefined where the whole program has to explain them. */
function readStart(args: string[]): StartCommandOptions | undefined {
  let folder: string | undefined
  let stateDir: string | undefined
  let workers: number | undefined
  let clusterUrl: string | undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--state' && args[i + 1] !== undefined) stateDir = args[++i]
    else if (arg === '--cluster' && args[i + 1] !== undefined) clusterUrl = args[++i]
    else if (arg === '--workers' && /^([1-9]|[1-5]\d|6[0-4])$/.test(args[i + 1] ?? '')) workers = Number(args[++i])
    else if (arg.startsWith('-') || folder !== undefined) return undefined
    else folder = arg
  }
  return {
    folder: folder ?? 'dist',
    ...(stateDir !== undefined && { stateDir }),
    ...(workers !== undefined && { workers }),
    ...(clusterUrl !== undefined && { clusterUrl }),
  }
}

function crash(error: unknown): never {
  process.stderr.write(describeCrash(error, process.env))
  process.exit(exitCodeOf(error))
}

// What no promise leads here, such as a fault in a timer; Node would print it with whatever it holds.
process.on('uncaughtException', crash)
endWithRunner()
main().then((code) => process.exit(code), crash)
