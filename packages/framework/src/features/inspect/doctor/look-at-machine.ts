import { realpathSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makePrivateFolder } from '@botwright/sqlite'
import { packageFolder, packageVersions } from '../package-versions.ts'
import { stalePackages } from './stale-packages.ts'
import { fault, ok, warning, type Finding } from './finding.ts'

const oldestNode = [20, 19] as const
const MEGABYTE = 1024 * 1024

/** Whether the version of Node is supported. */
export function lookAtNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return ok('Node', version)
  return fault('Node', `${version} is too old`, `install Node ${oldestNode.join('.')} or newer`)
}

/** The journal and the state are SQLite databases. `hasSqlite`: whether Node itself can open them. */
export function lookAtDatabase(root: string, hasSqlite = isBuiltin('node:sqlite')): Finding {
  if (hasSqlite) return ok('database', 'SQLite of Node')
  try {
    // The framework loads it from its own place.
    createRequire(join(realpathSync(packageFolder(root, '@botwright/framework') ?? root), 'package.json')).resolve(
      'libsql',
    )
    return ok('database', 'libsql')
  } catch {
    const fact = `Node ${process.versions.node} has no SQLite, and libsql is not installed`
    return fault('database', fact, 'npm i libsql', 'ERR_STATE')
  }
}

/** All packages of this repository must have the same version. */
export function lookAtPackages(root: string): Finding {
  const versions = packageVersions(root)
  const framework = versions['@botwright/framework']
  if (framework === undefined)
    return fault('packages', '@botwright/framework is not installed in this folder', 'npm i @botwright/framework')
  const odd = Object.entries(versions).filter(([, version]) => version !== framework)
  if (odd.length === 0) return lookAtFiles(root, framework)
  const names = odd.map(([name, version]) => `${name} ${version}`).join(', ')
  const fix = `npm i ${odd.map(([name]) => `${name}@${framework}`).join(' ')}`
  return fault('packages', `@botwright/framework is ${framework}, but ${names}`, fix)
}

/** A bot of a checkout has its packages as files, which change without a new version. */
function lookAtFiles(root: string, version: string): Finding {
  const stale = stalePackages(root)
  if (stale.length === 0) return ok('packages', `@botwright ${version}`)
  const fact = `the installed packages differ from ${stale.join(', ')}, which ${stale.length === 1 ? 'has' : 'have'} the same version`
  return warning('packages', fact, 'remove package-lock.json and node_modules/@botwright, then npm install')
}

/** Every event writes to the journal and the state. */
export async function lookAtDisk(folder: string): Promise<Finding> {
  const name = `${basename(folder)}/`
  const file = join(folder, `doctor-${process.pid}`)
  try {
    makePrivateFolder(folder)
    await writeFile(file, 'x')
    await rm(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    await rm(file, { force: true }).catch(() => {})
    const fact = `${name}, the folder of the journal and the state, cannot be written (${code})`
    if (code === 'ENOSPC' || code === 'EDQUOT') return fault('disk', fact, 'free some disk space', 'ERR_STATE')
    const fix = 'give the user of this process write access, or pass another folder with --state'
    return fault('disk', fact, fix, 'ERR_CONFIG')
  }
  const { bavail, bsize } = await statfs(folder)
  const free = Math.floor((bavail * bsize) / MEGABYTE)
  const text = free > 10_240 ? `${Math.floor(free / 1024)} GB free` : `${free} MB free`
  if (free < 10) return fault('disk', `${text} for the journal and the state`, 'free some disk space', 'ERR_STATE')
  if (free < 200) return warning('disk', `${text} for the journal and the state`, 'free some disk space soon')
  return ok('disk', `${name} can be written, ${text}`)
}
