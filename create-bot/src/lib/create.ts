import { existsSync } from 'node:fs'
import path from 'node:path'
import { install } from './install.ts'
import { callingPackageManager, type PackageManager, readPackageManager, runs, versionOf } from './package-manager.ts'
import { askFolder, askInstall, askTemplate } from './questions.ts'
import { scaffold, type Scaffolded } from './scaffold.ts'
import { ScaffoldError } from './scaffold-error.ts'
import type { Screen } from './screen.ts'
import { checkTarget } from './target.ts'
import { type Home, templateNames } from './templates.ts'
import type { Undo } from './undo.ts'

export interface CreateOptions {
  home: Home
  cwd: string
  folder: string | undefined
  template: string | undefined
  packageManager: string | undefined
  /** Undefined: asked for, or done where nobody is asked. */
  install: boolean | undefined
  git: boolean
  /** Somebody is there to answer. */
  asks: boolean
  screen: Screen
  undo: Undo
}

/**
 * The whole of create-bot: asks what was not said, writes, installs, and tells what comes next. False when the packages could not be
 * installed; the bot stays then. Rejects with ScaffoldError.
 */
export async function create(options: CreateOptions): Promise<boolean> {
  const { home, cwd, asks, screen, undo } = options
  const { packageManager: named } = options
  const packageManager = named === undefined ? callingPackageManager(process.env) : readPackageManager(named)
  // What was said wrongly is told before anything is asked.
  if (options.folder !== undefined) checkTarget(options.folder, cwd)
  if (options.template !== undefined) checkTemplate(home, options.template)
  // Asked while the person reads the questions; a manager that was named is known to be there before any.
  const running = versionOf(packageManager, cwd)
  running.catch(() => {})
  if (named !== undefined && options.install !== false) await running
  const folder = options.folder ?? (asks ? await askFolder(cwd) : 'my-bot')
  const template = options.template ?? (asks ? await askTemplate(home) : 'basic')
  const installs = options.install ?? (asks ? await askInstall(packageManager) : true)
  // Who installs later, or elsewhere, needs no package manager here.
  const version = installs ? await running : await running.catch(() => '')

  const linked = home.checkout !== undefined
  const writing = screen.begin(
    linked ? 'Packing the packages of this checkout, and writing the bot' : 'Writing the bot',
  )
  const { git } = options
  const made = await scaffold({
    ...{ home, template, folder, cwd, packageManager, packageManagerVersion: version, git, undo },
  }).catch((error: unknown) => {
    writing.failed('Nothing was written')
    throw error
  })
  const shown = path.relative(cwd, made.target) || '.'
  writing.done(`${made.name}: ${made.files} files in ${shown}${made.repository?.made ? ', with a git repository' : ''}`)
  if (made.repository?.made === false && made.repository.why) screen.note(made.repository.why)
  const installed = installs && (await installInto(made, { packageManager, version, screen, undo }))
  undo.keep()
  screen.steps([
    ...(shown === '.' ? [] : [[`cd ${quoted(shown)}`, 'your bot'] as const]),
    ...(installed ? [] : [[`${packageManager} install`, 'its packages'] as const]),
    [runs(packageManager, 'dev'), 'opens a chat with the bot in it, and takes in each save'],
    ...(installed ? [['/ping', 'typed at the printed address, as ann: the bot answers'] as const] : []),
  ])
  return installed === installs
}

/** As a shell takes it. */
function quoted(folder: string): string {
  if (/^[\p{L}\p{N}./_@-]+$/u.test(folder)) return folder
  return process.platform === 'win32' ? `"${folder}"` : `'${folder.replaceAll("'", "'\\''")}'`
}

function checkTemplate(home: Home, name: string): void {
  const names = templateNames(home)
  if (names.includes(name)) return
  throw new ScaffoldError('ERR_TEMPLATE', `there is no template "${name}"; choose one of: ${names.join(', ')}`)
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
  const installing = screen.begin(`Installing the packages with ${packageManager}`)
  let over: (() => void) | undefined
  const { ok, told: reason } = await install({
    ...{ cwd: made.target, packageManager, version },
    // First of all it ends: what it writes meanwhile would stay.
    started: (kill) => (over = undo.add(kill)),
  })
  over?.()
  if (ok) installing.done(`Packages installed with ${packageManager}`)
  else {
    installing.failed(`${packageManager} install failed; the bot itself is whole`)
    screen.note(reason === '' ? `${packageManager} told no reason` : reason)
  }
  return ok && existsSync(made.target)
}
