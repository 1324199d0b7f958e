import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { create } from './lib/create.ts'
import { packageManagers } from './lib/package-manager.ts'
import { Cancelled } from './lib/questions.ts'
import { printable } from './lib/printable.ts'
import { ScaffoldError } from './lib/scaffold-error.ts'
import { plainScreen, prettyScreen } from './lib/screen.ts'
import { findHome, templateFacts } from './lib/templates.ts'
import { linters } from './lib/tooling.ts'
import { Undo } from './lib/undo.ts'

interface Flags {
  template?: string
  packageManager?: string
  lint?: string
  install: boolean
  git: boolean
  yes?: true
}

const home = findHome()
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const undo = new Undo()
/** The shell's convention: 128 plus the number of the signal. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
let running = false
let ended: number | undefined

// However the process ends before it is done, Ctrl-C at a spinner included, remove what was written.
process.on('exit', (code) => {
  if (!running) return
  undo.run()
  process.exitCode = ended ?? (code === 0 ? signals.SIGINT : code)
})
for (const [signal, code] of Object.entries(signals))
  process.on(signal, () => {
    process.stderr.write('\nstopped; all new files were removed\n')
    ended = code
    process.exit(code)
  })

// A closed pipe, as in `create-bot my-bot | head -1`, ends only the output.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const templates = templateFacts(home)
const width = Math.max(...templates.map(({ name }) => name.length))
const program = new Command('create-bot')
  .description('Creates a bot in a new folder.')
  .version(version, '-v, --version', 'prints the version')
  .helpOption('-h, --help', 'print this help')
  .argument('[folder]', 'the folder to create; @scope/my-bot creates my-bot with that package name')
  .option('-t, --template <name>', 'the template to use; see below')
  .addOption(
    new Option(
      '-p, --package-manager <name>',
      `${packageManagers.join(', ')} (default: the one that you ran create with)`,
    ),
  )
  .option('-l, --lint <name>', `the linter and formatter of the code: ${linters.join(', ')}`)
  .option('--no-install', 'do not install packages')
  .option('--no-git', 'do not create a git repository')
  .option('-y, --yes', 'ask no questions; defaults: my-bot, basic, no linter, install')
  .configureOutput({ writeErr: (text) => void process.stderr.write(printable(text)) })
  .allowExcessArguments()
  .showHelpAfterError('(run create-bot --help for a list of options)')
  .addHelpText(
    'after',
    [
      '\nTemplates:',
      ...templates.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
      '\nIt prompts only in a terminal, and never if CI is set. With "npm create", put options after --:',
      '  npm create @botwright/bot my-bot -- --template full',
    ].join('\n'),
  )
  .action(async (folder: string | undefined, flags: Flags, command: Command) => {
    const [, unexpected] = command.args
    const isTerminal = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb' && !isSet(process.env['CI'])
    const asks = isTerminal && process.stdin.isTTY === true && flags.yes === undefined
    const screen = isTerminal ? prettyScreen(version) : plainScreen(process.stdout, process.stderr)
    running = true
    try {
      if (unexpected !== undefined)
        throw new ScaffoldError(
          'ERR_NAME',
          `unexpected argument "${unexpected}"; with "npm create", put options after --: npm create @botwright/bot my-bot -- --template full`,
        )
      const { template, packageManager, lint: linter, git } = flags
      // Ask about the installation only if no flag was passed.
      const install = flags.install ? (asks ? undefined : true) : false
      const whole = await create({
        ...{ home, cwd: process.cwd(), folder, template, packageManager, linter, install, git },
        asks,
        screen,
        undo,
      })
      running = false
      if (!whole) process.exitCode = 1
    } catch (error) {
      if (error instanceof Cancelled) {
        ended = signals.SIGINT
        return screen.cancelled('Nothing was written.')
      }
      if (!(error instanceof ScaffoldError)) throw error
      ended = 1
      screen.fail(error.message)
    }
  })

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0'
}

await program.parseAsync()
