import { existsSync } from 'node:fs'
import path from 'node:path'
import { firstCommit } from './git.ts'
import { install } from './install.ts'
import { callingPackageManager, type PackageManager, readPackageManager, runs, versionOf } from './package-manager.ts'
import { askFolder, askInstall, askLinter, askTemplate } from './questions.ts'
import { scaffold, type Scaffolded } from './scaffold.ts'
import { ScaffoldError } from './scaffold-error.ts'
import type { Screen } from './screen.ts'
import { checkTarget } from './target.ts'
import { type Home, templateNames } from './templates.ts'
import { readLinter } from './tooling.ts'
import type { Undo } from './undo.ts'
import { findWorkspace } from './location/workspace.ts'

export interface CreateOptions {
  home: Home
  cwd: string
  folder: string | undefined
  template: string | undefined
  packageManager: string | undefined
  /** Undefined: ask, or none if there is no terminal to ask in. */
  linter: string | undefined
  /** Undefined: ask, or install if there is no terminal to ask in. */
  install: boolean | undefined
  git: boolean
  /** Whether to ask questions. */
  asks: boolean
  screen: Screen
  undo: Undo
}

/**
 * Runs create-bot: prompts for missing options, writes the bot, installs its packages and prints the next steps. Returns false if the
 * installation failed; the bot stays. Rejects with ScaffoldError.
 */
export async function create(options: CreateOptions): Promise<boolean> {
  const { home, cwd, asks, screen, undo } = options
  // Report wrong arguments before the first question.
  if (options.folder !== undefined) checkTarget(options.folder, cwd)
  const named = options.packageManager === undefined ? undefined : readPackageManager(options.packageManager)
  if (options.template !== undefined) checkTemplate(home, options.template)
  const chosen = options.linter === undefined ? undefined : readLinter(options.linter)
  if (named !== undefined && options.install !== false) await versionOf(named, cwd)
  const folder = options.folder ?? (asks ? await askFolder(cwd) : 'my-bot')
  const packageManager = named ?? usualPackageManager(checkTarget(folder, cwd).path)
  // Runs while the user reads the further questions.
  const running = versionOf(packageManager, cwd)
  running.catch(() => {})
  const template = options.template ?? (asks ? await askTemplate(home) : 'basic')
  const linter = chosen ?? (asks ? await askLinter() : 'none')
  const installs = options.install ?? (asks ? await askInstall(packageManager) : true)
  // Without an installation the package manager does not have to exist here.
  const version = installs ? await running : await running.catch(() => '')

  const linked = home.checkout !== undefined
  const writing = screen.begin(
    linked ? 'Packing the packages of this checkout and creating the bot' : 'Creating the bot',
  )
  const { git } = options
  const made = await scaffold({
    ...{ home, template, folder, cwd, packageManager, packageManagerVersion: version, linter, git, undo },
  }).catch((error: unknown) => {
    writing.failed('Nothing was written')
    throw error
  })
  const shown = path.relative(cwd, made.target) || '.'
  writing.done(`${made.name}: ${made.files} files in ${shown}${made.repository?.made ? ', with a git repository' : ''}`)
  if (made.outside !== undefined) screen.note(made.outside)
  if (made.repository?.made === false && made.repository.why) screen.note(made.repository.why)
  const installed = installs && (await installInto(made, { packageManager, version, screen, undo }))
  undo.keep()
  // After the installation, so that the lock file is in it.
  const complete = installed === installs
  const uncommitted = complete && made.repository?.made ? await firstCommit(made.target) : undefined
  if (uncommitted !== undefined) screen.note(uncommitted)
  screen.steps([
    ...(shown === '.' ? [] : [[`cd ${quoted(shown)}`, 'open the folder'] as const]),
    ...(installed ? [] : [[`${packageManager} install`, 'install its packages'] as const]),
    [runs(packageManager, 'dev'), 'start the bot in a local chat; it reloads on every save'],
    ...(installed ? [['/ping', 'type this in the chat, signed in as ann'] as const] : []),
    ...(made.workflow === undefined
      ? []
      : [
          [
            '.github/workflows/ci.yml',
            `move it to ${made.workflow} of the repository: GitHub reads no other folder`,
          ] as const,
        ]),
  ])
  return complete
}

/** That of the workspace above the bot, or else the one that runs create-bot. */
const usualPackageManager = (target: string): PackageManager =>
  findWorkspace(target)?.manager ?? callingPackageManager(process.env)

/** Quotes the folder for a shell. */
function quoted(folder: string): string {
  if (/^[\p{L}\p{N}./_@-]+$/u.test(folder)) return folder
  return process.platform === 'win32' ? `"${folder}"` : `'${folder.replaceAll("'", "'\\''")}'`
}

function checkTemplate(home: Home, name: string): void {
  const names = templateNames(home)
  if (names.includes(name)) return
  throw new ScaffoldError('ERR_TEMPLATE', `unknown template "${name}"; choose one of: ${names.join(', ')}`)
}

async function installInto(
  made: Scaffolded,
  {
    packageManager,
    version,
    screen,
    undo,
  }: Pick<CreateOptions, 'screen' | 'undo'> & { packageManager: PackageManager; version: string },
): Promise<boolean> {
  const installing = screen.begin(`Installing packages with ${packageManager}`)
  let over: (() => void) | undefined
  const { ok, reason } = await install({
    ...{ cwd: made.target, packageManager, version },
    // Kill the installer before the files are removed; otherwise it would write more.
    started: (kill) => (over = undo.add(kill)),
  })
  over?.()
  if (ok) installing.done(`Packages installed with ${packageManager}`)
  else {
    installing.failed(`${packageManager} install failed; the bot was created without its packages`)
    screen.note(reason === '' ? `${packageManager} printed no reason` : reason)
  }
  return ok && existsSync(made.target)
}
