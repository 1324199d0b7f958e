import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { adaptTo } from './adapt.ts'
import { initRepository, type Repository } from './git.ts'
import { type PackageManager } from './package-manager.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget, type Target } from './target.ts'
import { type Home, templateNames } from './templates.ts'
import { Undo } from './undo.ts'
import { writeManifest } from './write-manifest.ts'

/** Files that npm would not publish under their own names. */
const renamed = { gitignore: '.gitignore', 'env.example': '.env.example' }
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENAMETOOLONG'])
const left = new Set(['node_modules', 'dist', '.botwright', '.framework'])

export interface Scaffolded {
  /** The absolute folder, and what its package is called. */
  target: string
  name: string
  /** Its files are those of a checkout's packages, packed, instead of published versions. */
  linked: boolean
  /** How many files it has. */
  files: number
  /** Undefined when none was asked for. */
  repository: Repository | undefined
}

export interface ScaffoldOptions {
  home: Home
  template: string
  folder: string
  cwd: string
  packageManager?: PackageManager
  /** The package manager's version, to name in the bot's Dockerfile. */
  packageManagerVersion?: string
  /** Whether to make a repository, where there is none around. */
  git?: boolean
  signal?: AbortSignal
  /** Gets how to take the bot back; without it only a failure does so. */
  undo?: Undo
}

/**
 * Writes a new bot. Everything is prepared in a folder beside the target (inside, when the target is there already) and moved at the
 * end, so that an interruption leaves nothing half-made. Rejects with ScaffoldError.
 */
export async function scaffold(options: ScaffoldOptions): Promise<Scaffolded> {
  const { home, template, folder, cwd, packageManager = 'npm', git = false, signal, undo = new Undo() } = options
  const names = templateNames(home)
  if (!names.includes(template)) {
    throw new ScaffoldError('ERR_TEMPLATE', `there is no template "${template}"; choose one of: ${names.join(', ')}`)
  }
  const target = checkTarget(folder, cwd)
  try {
    const draft = makeDraft(target, undo)
    cpSync(path.join(home.templates, template), draft.folder, {
      recursive: true,
      filter: (from) => !left.has(path.basename(from)),
    })
    cpSync(home.agents, path.join(draft.folder, 'AGENTS.md'))
    for (const [from, to] of Object.entries(renamed)) {
      if (existsSync(path.join(draft.folder, from)))
        renameSync(path.join(draft.folder, from), path.join(draft.folder, to))
    }
    const packing = new AbortController()
    const donePacking = undo.add(() => packing.abort())
    const { packageManagerVersion: version = '' } = options
    const { name, packed } = await writeManifest({
      ...{ draft: draft.folder, target, packageManager, version, checkout: home.checkout, signal: packing.signal },
    })
    donePacking()
    signal?.throwIfAborted()
    const linked = home.checkout !== undefined
    adaptTo({ packageManager, version, folder: draft.folder, name, packed })
    const files = readdirSync(draft.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const isNew = !existsSync(path.join(target.path, '.git'))
    const repository = git && isNew ? await initRepository(draft.folder, path.dirname(draft.folder)) : undefined
    signal?.throwIfAborted()
    moveInto(draft.folder, target, undo)
    draft.moved()
    return { target: target.path, name, linked, files: files.length, repository }
  } catch (error) {
    undo.run()
    const { code = '', path: at = target.path } = error as NodeJS.ErrnoException
    if (!unwritable.has(code) || !at.startsWith(path.dirname(target.path))) throw error
    throw new ScaffoldError('ERR_TARGET', `${at} cannot be written (${code}); choose a folder of your own`, {
      cause: error,
    })
  }
}

/** A folder beside the target, or inside of it when it is there: what is outside of it is not ours. */
function makeDraft(target: Target, undo: Undo): { folder: string; moved: () => void } {
  const parent = target.exists ? target.path : path.dirname(target.path)
  const firstMade = mkdirSync(parent, { recursive: true })
  // Only what is empty by then goes: somebody else may have written into it meanwhile.
  if (firstMade !== undefined) undo.add(() => removeEmpty(parent, firstMade))
  const folder = path.join(parent, `.create-bot-${process.pid}-${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(folder)
  return { folder, moved: undo.add(() => remove(folder)) }
}

function removeEmpty(from: string, to: string): void {
  for (let at = from; at.length >= to.length; at = path.dirname(at)) rmdirSync(at)
}

/** A target that is there, empty but for its repository, takes the draft's entries one by one; else the draft becomes the target. */
function moveInto(draft: string, target: Target, undo: Undo): void {
  if (!target.exists) {
    try {
      // Replaces an empty folder at most.
      renameSync(draft, target.path)
    } catch (error) {
      throw new ScaffoldError('ERR_TARGET', `${target.path} has come to exist meanwhile; choose another folder`, {
        cause: error,
      })
    }
    undo.add(() => remove(target.path))
    return
  }
  for (const entry of readdirSync(draft)) {
    const to = path.join(target.path, entry)
    if (existsSync(to)) throw new ScaffoldError('ERR_TARGET', `${entry} has come to exist meanwhile`)
    renameSync(path.join(draft, entry), to)
    undo.add(() => remove(to))
  }
  for (const entry of ['node_modules', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'])
    undo.add(() => remove(path.join(target.path, entry)))
  rmdirSync(draft)
}

/** What a killed program still had open may come to be a moment later. */
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
