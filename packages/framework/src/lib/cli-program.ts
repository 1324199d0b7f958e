import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command, CommanderError } from 'commander'
import { Shutdown } from './shutdown.ts'

/** The commands that live in `@botwright/dev`, with their line in the help. */
const devCommands = {
  dev: 'Runs the bot of this folder, reloads each save, and starts a local chat service when BOT_TOKEN is not set',
  build: 'Makes the folder that "framework start" runs',
  check: 'Loads every file of the bot and checks its types, without running it',
  service: 'Runs the local chat service alone',
} as const

const examples = `
Examples:
  framework dev              writes and tries the bot of this folder
  framework build            makes dist/
  framework start            runs dist/, as in production
  framework help dev         tells the options of a command`

const startExamples = `
It reads BOT_TOKEN and BOT_BASE_URL from the environment or from .env, and ends by SIGTERM or Ctrl-C.

Examples:
  framework start
  framework start build --state /var/lib/my-bot`

interface DevPackage {
  /** Runs a command by its name; resolves with the exit code. */
  runCommand: (name: string, argv: string[]) => Promise<number>
}

/**
 * Everything that the program can do but a plain `start`: help, versions, typing errors, and the commands of `@botwright/dev`,
 * which is looked up from the bot's own folder. Resolves with the exit code.
 */
export async function runProgram(argv: string[]): Promise<number> {
  let result: number | Promise<number> = 0
  const program = new Command('framework')
    .description('Runs and makes bots.')
    .version(version(), '-v, --version', 'prints the version')
    .helpOption('-h, --help', 'prints this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('("framework --help" lists the commands)')
    .addHelpText('after', examples)
  const start = program
    .command('start')
    .description('Runs a built bot until a signal ends it')
    .argument('[folder]', 'what "framework build" made', 'dist')
    .option('--state <folder>', 'where the journal is kept (default: .botwright)')
    .helpOption('-h, --help', 'prints this help')
    .showHelpAfterError('("framework help start" tells its options)')
    .addHelpText('after', startExamples)
    .action((folder: string, { state }: { state?: string }) => {
      result = import('./start-command.ts').then(({ startCommand }) =>
        startCommand({ folder, ...(state !== undefined && { stateDir: state }) }, new Shutdown()),
      )
    })
  for (const [name, description] of Object.entries(devCommands))
    program
      .command(name)
      .description(description)
      .argument('[args...]')
      .usage('[options]')
      // Its options, help included, are the dev package's own.
      .allowUnknownOption()
      .passThroughOptions()
      .helpOption(false)
      .action(() => {
        result = runDev(name, argv.slice(argv.indexOf(name) + 1))
      })
  program
    .command('help')
    .description('Tells the options of a command')
    .argument('[command]')
    .helpOption(false)
    .action((name: string | undefined) => {
      if (name === undefined || name === 'help') program.outputHelp()
      else if (name === 'start') start.outputHelp()
      else if (name in devCommands) result = runDev(name, ['--help'])
      // Parsed as a command, a wrong name gets the usual answer, with what was probably meant.
      else result = runProgram([name])
    })
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['--help'], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    throw error
  }
  return result
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

async function runDev(name: string, argv: string[]): Promise<number> {
  let path: string
  try {
    path = createRequire(join(process.cwd(), 'package.json')).resolve('@botwright/dev')
  } catch {
    process.stderr.write(`framework ${name} needs @botwright/dev: npm i -D @botwright/dev\n`)
    return 1
  }
  const { runCommand } = (await import(pathToFileURL(path).href)) as DevPackage
  return runCommand(name, argv)
}
