import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemplate, readPackages, type PackageFile } from '../packages.ts'

const GROUPS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const
const SCOPE = '@botwright/'

/** The fields of each package.json of the repository that npm's lock file repeats. */
interface Lock {
  version?: string
  packages: Record<string, PackageFile>
}

const LOCK = 'package-lock.json'

/**
 * Sets one version everywhere below `root`: in the packages themselves, and in all dependents, templates and the lock file
 * included. Returns the written files.
 */
export async function writeVersion(root: string, version: string): Promise<string[]> {
  const written: string[] = []
  for (const { folder, file, text } of await readPackages(root)) {
    const moved = moveTo(version, file, isTemplate(`${folder.replace(/^create-bot\//, '')}/`))
    const after = `${JSON.stringify(moved, null, 2)}\n`
    if (after === text) continue
    const path = folder === '' ? 'package.json' : `${folder}/package.json`
    await writeFile(join(root, path), after)
    written.push(path)
  }
  return [...written, ...(await writeLock(join(root, LOCK), version))]
}

/** Edits the file directly, because npm would request unpublished versions from the registry. */
async function writeLock(file: string, version: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return []
  const lock = JSON.parse(text) as Lock
  if (lock.version !== undefined) lock.version = version
  for (const [folder, entry] of Object.entries(lock.packages))
    if (!folder.includes('node_modules/')) lock.packages[folder] = moveTo(version, entry, false)
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  return [LOCK]
}

function moveTo(version: string, file: PackageFile, template: boolean): PackageFile {
  const moved: PackageFile = { ...file }
  // A template's own version is that of the new bot.
  if (!template && file.version !== undefined) moved.version = version
  for (const group of GROUPS) {
    if (!file[group]) continue
    moved[group] = Object.fromEntries(
      Object.entries(file[group]).map(([name, old]) => [name, name.startsWith(SCOPE) ? version : old]),
    )
  }
  return moved
}
