import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { create } from './lib/create.ts'
import { packageManagers } from './lib/package-manager.ts'
import { Cancelled } from './lib/questions.ts'
import { printable } from './lib/printable.ts'
import { ScaffoldError } from './lib/scaffold-error.ts'
import { plainScreen, prettyScreen } from './lib/screen.ts'
import { findHome, templateFacts } from './lib/templates.ts'
import { Undo } from './lib/undo.ts'

interface Flags {
  template?: string
  packageManager?: string
  install: boolean
  git: boolean
  yes: boolean
}

const home = findHome()
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const undo = new Undo()
/** By the shell's rule: 128 and the number of the signal. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
let running = false
let ended: number | undefined

// Whatever ends the process before it has finished, Ctrl-C at a spinner included, nothing half-made stays.
process.on('exit', (code) => {
  if (!running) return
  undo.run()
  process.exitCode = ended ?? (code === 0 ? signals.SIGINT : code)
})
for (const [signal, code] of Object.entries(signals))
  process.on(signal, () => {
    process.stderr.write('\nstopped; nothing was left behind\n')
    ended = code
    process.exit(code)
  })

const templates = templateFacts(home)
const width = Math.max(...templates.map(({ name }) => name.length))
const program = new Command('create-bot')
  .description('Writes a new bot into a folder of its own.')
  .version(version, '-v, --version', 'prints the version')
  .helpOption('-h, --help', 'prints this help')
  .argument('[folder]', 'where to write it; @scope/my-bot writes my-bot, with that package name')
  .option('-t, --template <name>', 'what it begins with: see below')
  .addOption(
    new Option('-p, --package-manager <name>', `${packageManagers.join(', ')}: by default the one that started this`),
  )
  .option('--no-install', 'do not install the packages')
  .option('--no-git', 'make no git repository')
  .option('-y, --yes', 'ask nothing; what is not said is: my-bot, basic, install', false)
  .configureOutput({ writeErr: (text) => void process.stderr.write(printable(text)) })
  .allowExcessArguments()
  .showHelpAfterError('(create-bot --help lists the options)')
  .addHelpText(
    'after',
    [
      '\nTemplates:',
      ...templates.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
      '\nIt asks only at a terminal, and never where CI is set. Behind "npm create" options stand after --:',
      '  npm create @botwright/bot my-bot -- --template full',
    ].join('\n'),
  )
  .action(async (folder: string | undefined, flags: Flags, command: Command) => {
    const [, unexpected] = command.args
    const isTerminal = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb' && !isSet(process.env['CI'])
    const asks = isTerminal && process.stdin.isTTY === true && !flags.yes
    const screen = isTerminal ? prettyScreen(version) : plainScreen(process.stdout, process.stderr)
    running = true
    try {
      if (unexpected !== undefined)
        throw new ScaffoldError(
          'ERR_NAME',
          `"${unexpected}" is one argument too many; after "npm create" options stand behind --: npm create @botwright/bot my-bot -- --template full`,
        )
      const { template, packageManager, git } = flags
      // Said by default or by somebody: only the latter is not asked for.
      const install = flags.install ? (asks ? undefined : true) : false
      const whole = await create({
        ...{ home, cwd: process.cwd(), folder, template, packageManager, install, git },
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
