import { type Argument, Command, CommanderError, Help, type Option } from 'commander'
import { isBotwrightError } from '@botwright/protocol/facts'
import { findCommands, withOwn } from './commands.ts'
import type { CommandEntry, DevEntry } from '../program/command-entry.ts'
import { errorText } from './crash.ts'
import { cleanLine } from '../program/clean-line.ts'
import { diskTrouble } from '../runtime/disk-trouble.ts'
import { ownVersion } from '../runtime/own-package.ts'
import type { ProgramOutput } from '../link/thread-io.ts'
import { readPackageJson } from '../program/package-json.ts'
import type { ProgramIo } from '../program/program-io.ts'

const examples = `
Examples:
  framework dev              runs the bot in this folder and reloads on every save
  framework add command hi   creates commands/hi.ts
  framework build            builds dist/
  framework start            runs dist/ in production
  framework help dev         shows the options of a command

Exit codes: 0 success, 1 failure, 2 usage error.`

const moreWithDev = 'come with @botwright/dev: npm i -D @botwright/dev'

/** Whether the default is `false` or an empty list, which the help omits. */
const hasTrivialDefault = (one: Option | Argument): boolean =>
  one.defaultValue === false || (Array.isArray(one.defaultValue) && one.defaultValue.length === 0)
const plain = new Help()
const helpFormat: Partial<Help> = {
  optionDescription: (option) => (hasTrivialDefault(option) ? option.description : plain.optionDescription(option)),
  argumentDescription: (argument) =>
    hasTrivialDefault(argument) ? argument.description : plain.argumentDescription(argument),
}

/** The exit code for a usage error. */
const USAGE_ERROR = 2

/**
 * Runs the program: its own commands and those of `@botwright/dev`, help, the version and usage errors.
 * Resolves with the exit code. Errors that the user can fix are printed to standard error; all others reject.
 * `devCommands` are used instead of those of the package that is installed in the folder.
 */
export async function runProgram(
  typed: readonly string[],
  io: ProgramIo,
  devCommands?: readonly DevEntry[],
): Promise<number> {
  const { commands, hasDev } = devCommands ? withOwn(devCommands) : await findCommands(io.cwd, typed[0])
  const argv = asCommand(withoutColorFlag(typed, io.env), commands)
  let code = 0
  const program = createProgram(commands, hasDev, io)
  const [name = '--help'] = argv
  const entry = commands.find((one) => one.name === name)
  if (!entry && !hasDev && /^[a-z]/.test(name)) {
    io.stderr.write(`framework ${name} needs @botwright/dev${howToInstall(io.cwd)}\n`)
    return 1
  }
  if (entry) await entry.configure(declaredCommand(program, entry), { io, done: (exitCode) => (code = exitCode) })
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['--help'], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      if (!hasDev && error.code === 'commander.unknownOption') io.stderr.write(`(more options ${moreWithDev})\n`)
      return error.exitCode === 0 ? 0 : USAGE_ERROR
    }
    const text = isBotwrightError(error) ? errorText(error) : diskTrouble(error, io.cwd)
    if (text === undefined) throw error
    io.stderr.write(cleanLine(`${text.trimEnd()}\n`, io.env))
    return entry?.exitCodeOf?.(error) ?? 1
  } finally {
    await flushed(io.stdout)
  }
  return code
}

function createProgram(commands: readonly CommandEntry[], hasDev: boolean, { stdout, stderr }: ProgramIo): Command {
  const program = new Command('framework')
    .description('Develops, builds and runs bots.')
    .version(ownVersion(), '-v, --version', 'prints the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(helpFormat)
    // Subcommands inherit it.
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    .showHelpAfterError('(run "framework --help" for a list of commands)')
    // Removed before parsing, so that it can be anywhere.
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
  program
    .command('help')
    .helpGroup('Everyday commands:')
    .argument('[command]')
    .description('Shows the options of a command')
  return program
}

/** A subcommand (`commands list`) shows the examples that begin with it, if there are any. */
function examplesOf(command: Command, program: Command, lines: readonly string[]): readonly string[] {
  if (command.parent === program) return lines
  const own = lines.filter((line) => line.startsWith(`framework ${command.parent!.name()} ${command.name()}`))
  return own.length > 0 ? own : lines
}

const declaredCommand = (program: Command, { name }: CommandEntry): Command =>
  program.commands.find((command) => command.name() === name)!

/** `help dev` becomes `dev --help`. An unknown name gets the usual error with a suggestion. */
function asCommand(argv: readonly string[], commands: readonly CommandEntry[]): readonly string[] {
  if (argv[0] !== 'help') return argv
  const [name, ...rest] = argv.slice(1).filter((word) => !word.startsWith('-'))
  if (name === undefined || name === 'help') return ['--help']
  return commands.some((entry) => entry.name === name) ? [name, ...rest, '--help'] : [name]
}

function withoutColorFlag(argv: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const flag = argv.indexOf('--no-color')
  const end = argv.indexOf('--')
  if (flag < 0 || (end >= 0 && end < flag)) return argv
  env['NO_COLOR'] = '1'
  delete env['FORCE_COLOR']
  return argv.filter((_word, i) => i !== flag)
}

/** The width of the help; commander's own without a terminal. */
const widthOf = ({ isTTY, columns }: ProgramOutput): number => (isTTY && columns) || 80

/** Waits for standard output, because a pipe would lose the rest when the process exits. */
const flushed = (stdout: ProgramOutput): Promise<void> => new Promise((resolve) => stdout.write('', () => resolve()))

/** A production install leaves the package out, and must not change package.json. */
function howToInstall(cwd: string): string {
  const isLeftOut = '@botwright/dev' in (readPackageJson(cwd)?.devDependencies ?? {})
  if (!isLeftOut) return ': npm i -D @botwright/dev'
  return `, which npm install --omit=dev leaves out: npm i --no-save @botwright/dev@${ownVersion()}`
}
