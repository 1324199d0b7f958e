import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { ScaffoldError } from './scaffold-error.ts'

const run = promisify(execFile)

/** Packages that no template depends on but a bot may add later; in a checkout they are not on a registry. */
const forLater = ['@botwright/cluster', '@botwright/languages', '@botwright/plugins']

interface Manifest {
  name: string
  dependencies?: Record<string, string>
}

/** These packages and the checkout's packages that they require, with their folders. */
function withDependencies(checkout: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const add = (name: string) => {
    if (found.has(name) || !name.startsWith('@botwright/')) return
    const folder = path.join(checkout, 'packages', name.slice('@botwright/'.length))
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
    found.set(name, folder)
    Object.keys(manifest.dependencies ?? {}).forEach(add)
  }
  names.forEach(add)
  return found
}

/**
 * Packs the checkout's packages into `<target>/packages.local/`, so that the bot installs them like published ones; also those that a
 * bot may add later. Returns the version text for each named package and for the packages that they require.
 */
export async function packCheckout(
  checkout: string,
  target: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  const folder = path.join(target, 'packages.local')
  mkdirSync(folder)
  const needed = withDependencies(checkout, names)
  const packages = withDependencies(checkout, [...names, ...forLater])
  const workspaces = [...packages.values()].flatMap((place) => ['--workspace', place])
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces]
  try {
    const { stdout } = await run('npm', args, { cwd: checkout, maxBuffer: 64 * 1024 * 1024, signal })
    const packed = Object.values(
      JSON.parse(stdout) as Record<string, { name: string; filename: string; files: { path: string }[] }>,
    )
    const unbuilt = packed.find((one) => !one.files.some((file) => file.path.startsWith('dist/')))
    if (unbuilt)
      throw new ScaffoldError('ERR_PACK', `${unbuilt.name} is not built; run npm run build in ${checkout} first`)
    return Object.fromEntries(
      packed
        .filter((one) => needed.has(one.name))
        .map((one) => [one.name, `file:packages.local/${path.basename(one.filename)}`]),
    )
  } catch (error) {
    if (error instanceof ScaffoldError) throw error
    throw new ScaffoldError(
      'ERR_PACK',
      `cannot pack the checkout's packages; run npm install and npm run build in ${checkout} first`,
      { cause: error },
    )
  }
}
