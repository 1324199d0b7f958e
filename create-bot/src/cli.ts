import * as prompts from '@clack/prompts'
import { Command } from 'commander'
import { installDependencies, type PackageManagerName } from 'nypm'
import path from 'node:path'
import pc from 'picocolors'
import { ScaffoldError } from './lib/scaffold-error.ts'
import { scaffold } from './lib/scaffold.ts'
import { findHome, templateNames } from './lib/templates.ts'

interface Flags {
  template?: string
  yes: boolean
  install: boolean
}

const home = findHome()
const templates = templateNames(home)

const program = new Command('create-bot')
  .description('Writes a new bot into a folder of its own.')
  .argument('[folder]', 'where to write it', undefined)
  .option('-t, --template <name>', `one of: ${templates.join(', ')}`)
  .option('-y, --yes', 'ask nothing, take the defaults', false)
  .option('--no-install', 'do not install the packages')
  .showHelpAfterError('(create-bot --help lists the options)')
  .action(create)

/** Ends when the person presses Ctrl-C at a question. */
function answered<T>(value: T): Exclude<T, symbol> {
  if (typeof value === 'symbol') {
    prompts.cancel('Nothing was written.')
    process.exit(130)
  }
  return value as Exclude<T, symbol>
}

/** The package manager that was used to start this; a new folder shows none of its own yet. */
function callingPackageManager(): PackageManagerName {
  const name = process.env['npm_config_user_agent']?.split('/')[0]
  return name === 'pnpm' || name === 'yarn' || name === 'bun' ? name : 'npm'
}

async function create(given: string | undefined, flags: Flags) {
  const asks = !flags.yes && process.stdin.isTTY === true
  prompts.intro(pc.bold('create-bot'))
  const folder =
    given ??
    (asks ? answered(await prompts.text({ message: 'Where shall the bot live?', initialValue: 'my-bot' })) : 'my-bot')
  const template =
    flags.template ??
    (asks && templates.length > 1
      ? answered(
          await prompts.select({
            message: 'Which template?',
            options: templates.map((value) => ({ value, label: value })),
          }),
        )
      : 'basic')
  const stopping = new AbortController()
  const onInterrupt = () => stopping.abort(new ScaffoldError('ERR_TARGET', 'stopped; nothing was written'))
  process.once('SIGINT', onInterrupt)
  const made = await scaffold({ home, template, folder, cwd: process.cwd(), signal: stopping.signal })
  process.off('SIGINT', onInterrupt)
  prompts.log.success(`${made.name} written to ${made.target}`)
  if (made.linked) prompts.log.info('It uses the packages of this checkout, packed into packages.local/.')
  const installs =
    flags.install &&
    (!asks || answered(await prompts.confirm({ message: 'Install the packages now?', initialValue: true })))
  if (installs) {
    // A spinner in a log file is a page of garbage.
    const spinner = process.stdout.isTTY ? prompts.spinner() : undefined
    spinner?.start('Installing the packages')
    await installDependencies({ cwd: made.target, silent: true, packageManager: callingPackageManager() })
    if (spinner) spinner.stop('Packages installed')
    else prompts.log.success('Packages installed')
  }
  const steps = [
    `cd ${path.relative(process.cwd(), made.target) || '.'}`,
    ...(installs ? [] : ['npm install']),
    'npm run dev',
  ]
  prompts.outro(`Next:  ${steps.map((step) => pc.cyan(step)).join('  then  ')}`)
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof ScaffoldError)) throw error
  prompts.log.error(error.message)
  process.exitCode = 1
}
