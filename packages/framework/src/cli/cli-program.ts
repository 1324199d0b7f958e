import { readFileSync } from 'node:fs'
import { type Argument, Command, CommanderError, Help, type Option } from 'commander'
import { isBotwrightError } from '@botwright/protocol/facts'
import { type CommandEntry, findCommands } from './commands.ts'
import { cleanLine, errorText } from './crash.ts'
import { diskTrouble } from '../runtime/disk-trouble.ts'

const examples = `
Examples:
  framework dev              runs the bot in this folder and reloads on every save
  framework add command hi   creates commands/hi.ts
  framework build            builds dist/
  framework start            runs dist/ in production
  framework help dev         shows the options of a command

Exit codes: 0 success, 1 failure, 2 usage error.`

const moreWithDev = 'come with @botwright/dev: npm i -D @botwright/dev'

/** That a flag is off, and a list empty, unless they are given is what everybody expects. */
const bare = (one: Option | Argument): boolean =>
  one.defaultValue === false || (Array.isArray(one.defaultValue) && one.defaultValue.length === 0)
const plain = new Help()
const helpWithoutNoise: Partial<Help> = {
  optionDescription: (option) => (bare(option) ? option.description : plain.optionDescription(option)),
  argumentDescription: (argument) => (bare(argument) ? argument.description : plain.argumentDescription(argument)),
}

/** How the program ends when it was typed wrong. */
const WRONG_USAGE = 2

/**
 * Everything that the program can do but a plain `start`: help, versions, typing errors, and the commands of `@botwright/dev`.
 * Resolves with the exit code. What the author can mend is told on standard error; anything else rejects.
 */
export async function runProgram(typed: readonly string[]): Promise<number> {
  endQuietlyWithTheReader()
  const { commands, hasDev } = await findCommands(process.cwd())
  const argv = asCommand(withoutColorFlag(typed), commands)
  let code = 0
  const program = createProgram(commands, hasDev)
  const [name = '--help'] = argv
  const asked = commands.find((entry) => entry.name === name)
  if (!asked && !hasDev && /^[a-z]/.test(name)) {
    process.stderr.write(`framework ${name} needs @botwright/dev: npm i -D @botwright/dev\n`)
    return 1
  }
  if (asked) await asked.configure(declared(program, asked), (exitCode) => (code = exitCode))
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['--help'], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      if (!hasDev && error.code === 'commander.unknownOption') process.stderr.write(`(more options ${moreWithDev})\n`)
      return error.exitCode === 0 ? 0 : WRONG_USAGE
    }
    const text = isBotwrightError(error) ? errorText(error) : diskTrouble(error, process.cwd())
    if (text === undefined) throw error
    process.stderr.write(cleanLine(`${text.trimEnd()}\n`, process.env))
    return asked?.exitCodeOf?.(error) ?? 1
  } finally {
    await written()
  }
  return code
}

function createProgram(commands: readonly CommandEntry[], hasDev: boolean): Command {
  const program = new Command('framework')
    .description('Develops, builds and runs bots.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(helpWithoutNoise)
    .showHelpAfterError('(run "framework --help" for a list of commands)')
    // Taken out before the rest is read, so that it may stand anywhere.
    .option('--no-color', 'disables colors (same as NO_COLOR)')
    .addHelpText('after', hasDev ? examples : `\nAll other commands ${moreWithDev}${examples}`)
  for (const { name, group, description, examples: lines } of commands)
    program
      .command(name)
      .helpGroup(`${group}:`)
      .description(description)
      .helpOption('-h, --help', 'print this help')
      .helpCommand(false)
      .exitOverride()
      .showHelpAfterError(`(run "framework help ${name}" for its options)`)
      .addHelpText('afterAll', ({ command }) =>
        command.parent === program || command.parent?.parent === program
          ? `\nExamples:\n${examplesOf(command, program, lines)
              .map((line) => `  ${line}`)
              .join('\n')}`
          : '',
      )
  program.command('help').helpGroup('Every day:').argument('[command]').description('Shows the options of a command')
  return program
}

/** A subcommand (`commands list`) shows the examples that begin with it, where there are some. */
function examplesOf(command: Command, program: Command, lines: readonly string[]): readonly string[] {
  if (command.parent === program) return lines
  const own = lines.filter((line) => line.startsWith(`framework ${command.parent!.name()} ${command.name()}`))
  return own.length > 0 ? own : lines
}

const declared = (program: Command, { name }: CommandEntry): Command =>
  program.commands.find((command) => command.name() === name)!

/** `help dev` is `dev --help`; a wrong name gets the usual answer, with what was probably meant. */
function asCommand(argv: readonly string[], commands: readonly CommandEntry[]): readonly string[] {
  if (argv[0] !== 'help') return argv
  const [name, ...rest] = argv.slice(1).filter((word) => !word.startsWith('-'))
  if (name === undefined || name === 'help') return ['--help']
  return commands.some((entry) => entry.name === name) ? [name, ...rest, '--help'] : [name]
}

function withoutColorFlag(argv: readonly string[]): readonly string[] {
  const flag = argv.indexOf('--no-color')
  const end = argv.indexOf('--')
  if (flag < 0 || (end >= 0 && end < flag)) return argv
  process.env['NO_COLOR'] = '1'
  delete process.env['FORCE_COLOR']
  return argv.filter((_word, i) => i !== flag)
}

/** `framework routes | head -1`: a reader that has seen enough is no fault. */
function endQuietlyWithTheReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

/** Whoever reads a pipe gets all of it: the process ends behind this. */
const written = (): Promise<void> => new Promise((resolve) => process.stdout.write('', () => resolve()))

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
