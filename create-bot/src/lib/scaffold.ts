import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { adaptTo } from './adapt.ts'
import { locate } from './location/adapt-location.ts'
import { initRepository, type Repository } from './git.ts'
import { mcpFiles } from './mcp-files.ts'
import { type PackageManager } from './package-manager.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget, type Target } from './target.ts'
import { type Home, templateNames } from './templates.ts'
import { copyTooling, type Linter } from './tooling.ts'
import { Undo } from './undo.ts'
import { hasSqlite, writeManifest } from './write-manifest.ts'

/** Files that npm would not publish under their real names. */
const renamed = { gitignore: '.gitignore', 'env.example': '.env.example' }
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENAMETOOLONG'])
const left = new Set(['node_modules', 'dist', 'out', '.botwright', '.framework'])

export interface Scaffolded {
  /** The absolute folder. */
  target: string
  name: string
  /** Whether the bot uses packed packages of a checkout instead of published versions. */
  linked: boolean
  /** The number of files. */
  files: number
  /** Undefined if no repository was requested. */
  repository: Repository | undefined
  /** The path in the repository above the bot to which the user moves the workflow. */
  workflow: string | undefined
  /** Why the bot is not a package of the workspace above it. */
  outside: string | undefined
}

export interface ScaffoldOptions {
  home: Home
  template: string
  folder: string
  cwd: string
  packageManager?: PackageManager
  /** The package manager's version, for the bot's Dockerfile. */
  packageManagerVersion?: string
  /** The version of Node that the bot is for. Default: the running one. */
  nodeVersion?: string
  /** The linter, which comes with its formatter. Default: none. */
  linter?: Linter
  /** Whether to create a repository, unless the folder is inside one. */
  git?: boolean
  signal?: AbortSignal
  /** Receives the steps that remove the bot again. A failure always runs them. */
  undo?: Undo
}

/**
 * Writes a new bot. Prepares everything in a folder next to the target, or inside a target that exists, and moves it at the end, so
 * that an interruption leaves no partial bot. Rejects with ScaffoldError.
 */
export async function scaffold(options: ScaffoldOptions): Promise<Scaffolded> {
  const { home, template, folder, cwd, packageManager = 'npm', git = false, signal, undo = new Undo() } = options
  const names = templateNames(home)
  if (!names.includes(template)) {
    throw new ScaffoldError('ERR_TEMPLATE', `unknown template "${template}"; choose one of: ${names.join(', ')}`)
  }
  const target = checkTarget(folder, cwd)
  try {
    const draft = makeDraft(target, undo)
    cpSync(path.join(home.templates, template), draft.folder, {
      recursive: true,
      filter: (from) => !left.has(path.basename(from)),
    })
    cpSync(home.agents, path.join(draft.folder, 'AGENTS.md'))
    for (const [file, settings] of Object.entries(mcpFiles)) {
      mkdirSync(path.dirname(path.join(draft.folder, file)), { recursive: true })
      writeFileSync(path.join(draft.folder, file), settings)
    }
    for (const [from, to] of Object.entries(renamed)) {
      if (existsSync(path.join(draft.folder, from)))
        renameSync(path.join(draft.folder, from), path.join(draft.folder, to))
    }
    const packing = new AbortController()
    const donePacking = undo.add(() => packing.abort())
    const { packageManagerVersion: version = '', nodeVersion = process.versions.node } = options
    const withSqlite = hasSqlite(nodeVersion)
    const { linter = 'none' } = options
    const tools = copyTooling(draft.folder, linter, nodeVersion)
    const linked = home.checkout !== undefined
    const location = locate({ target: target.path, cwd, packageManager, linked })
    const inWorkspace = location.workspace !== undefined
    const { name, packed } = await writeManifest({
      ...{ draft: draft.folder, target, packageManager, version, checkout: home.checkout, signal: packing.signal },
      ...{ withSqlite, tools, inWorkspace },
    })
    donePacking()
    signal?.throwIfAborted()
    const workflow = adaptTo({
      ...{ packageManager, version, folder: draft.folder, name, packed, withSqlite, linter, location },
    })
    const files = readdirSync(draft.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const isNew = !existsSync(path.join(target.path, '.git'))
    const repository = git && isNew ? await initRepository(draft.folder, path.dirname(draft.folder)) : undefined
    signal?.throwIfAborted()
    moveInto(draft.folder, target, undo)
    draft.moved()
    return { target: target.path, name, linked, files: files.length, repository, workflow, outside: location.outside }
  } catch (error) {
    undo.run()
    const { code = '', path: at = target.path } = error as NodeJS.ErrnoException
    if (!unwritable.has(code) || !at.startsWith(path.dirname(target.path))) throw error
    throw new ScaffoldError('ERR_TARGET', `cannot write ${at} (${code}); choose a folder that you can write to`, {
      cause: error,
    })
  }
}

/** A folder next to the target, or inside it if it exists: create-bot writes nothing outside an existing target. */
function makeDraft(target: Target, undo: Undo): { folder: string; moved: () => void } {
  const parent = target.exists ? target.path : path.dirname(target.path)
  const firstMade = mkdirSync(parent, { recursive: true })
  // Removes only empty folders: another program may have written to them in the meantime.
  if (firstMade !== undefined) undo.add(() => removeEmpty(parent, firstMade))
  const folder = path.join(parent, `.create-bot-${process.pid}-${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(folder)
  return { folder, moved: undo.add(() => remove(folder)) }
}

function removeEmpty(from: string, to: string): void {
  for (let at = from; at.length >= to.length; at = path.dirname(at)) rmdirSync(at)
}

/** Moves the entries of the draft into an existing target; otherwise the draft becomes the target. */
function moveInto(draft: string, target: Target, undo: Undo): void {
  if (!target.exists) {
    try {
      // Can only replace an empty folder.
      renameSync(draft, target.path)
    } catch (error) {
      throw new ScaffoldError(
        'ERR_TARGET',
        `${target.path} was created by another program in the meantime; choose another folder`,
        {
          cause: error,
        },
      )
    }
    undo.add(() => remove(target.path))
    return
  }
  for (const entry of readdirSync(draft)) {
    const to = path.join(target.path, entry)
    if (existsSync(to))
      throw new ScaffoldError(
        'ERR_TARGET',
        `${entry} was created by another program in the meantime; choose another folder`,
      )
    renameSync(path.join(draft, entry), to)
    undo.add(() => remove(to))
  }
  for (const entry of ['node_modules', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'])
    undo.add(() => remove(path.join(target.path, entry)))
  rmdirSync(draft)
}

/** Retries, because a killed program may still create files for a moment. */
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
