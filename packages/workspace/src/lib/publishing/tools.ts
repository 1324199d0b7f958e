import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

/** A package of its own with a lock file of its own: a registry and three Nodes would make everybody's `npm ci` 700 MB heavier. */
const wanted = fileURLToPath(new URL('../../../tools/', import.meta.url))
const lockFile = 'package-lock.json'

/**
 * Where the tools that only CI needs are installed: a registry, packaging checks, generators of OpenAPI clients, other versions of Node.
 * Outside of the tree and named by the lock file, so that every checkout of the machine shares one installation.
 */
export function toolsFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const lock = createHash('sha256')
    .update(readFileSync(join(wanted, lockFile)))
    .digest('hex')
  return join(caches, 'botwright', `tools-${lock.slice(0, 16)}`)
}

/** Whether the tools are there; a half-made installation never stands under this name. */
export const hasTools = (): boolean => existsSync(toolsFolder())

/** Installs the tools where they are missing. Rejects with npm's own words. */
export async function installTools(): Promise<'installed' | 'there'> {
  const folder = toolsFolder()
  if (existsSync(folder)) return 'there'
  const half = `${folder}.${process.pid}`
  await mkdir(half, { recursive: true })
  try {
    for (const name of ['package.json', lockFile]) await cp(join(wanted, name), join(half, name))
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: half, shell: process.platform === 'win32' })
    await rename(half, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was quicker: what it made is the same.
      if (!existsSync(folder)) throw error
    })
    return 'installed'
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/** The path of a file that a tool exports. Throws when it is not installed. */
export function toolPath(specifier: string): string {
  return createRequire(join(toolsFolder(), 'package.json')).resolve(specifier)
}

/** Loads a tool. What it exports is the caller's to say. */
export async function loadTool<T>(...path: string[]): Promise<T> {
  return (await import(pathToFileURL(join(toolsFolder(), 'node_modules', ...path)).href)) as T
}

/** Another Node, by its major version; undefined where it is not installed (it comes for Linux on x64 alone). */
export function otherNode(major: 22 | 24 | 26): string | undefined {
  const program = join(toolsFolder(), 'node_modules', `n${major}`, 'bin', 'node')
  return existsSync(program) ? program : undefined
}
