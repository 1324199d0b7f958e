import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packCheckout } from './packed.ts'
import { isNewYarn, type PackageManager } from './package-manager.ts'
import { packageName } from './place.ts'
import type { Target } from './target.ts'
import type { ToolManifest } from './tooling.ts'

interface Manifest {
  name: string
  /** Describes the template, so the bot's manifest drops it. */
  description?: string
  engines: { node: string }
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  [field: string]: unknown
}

/** The templates declare what the oldest supported version of Node needs. */
const NODE_WITH_SQLITE = 24
const TYPES_WITH_SQLITE = '24.19.4'

/** Whether this version of Node has a SQLite that it no longer calls experimental. A bot for such versions needs no libsql. */
export const hasSqlite = (nodeVersion: string): boolean => Number.parseInt(nodeVersion) >= NODE_WITH_SQLITE

/**
 * Writes the bot's package.json. In a checkout, packs the packages and makes the bot depend on these files. Returns the bot's name and
 * the locations of the packed packages.
 */
export async function writeManifest(options: {
  draft: string
  target: Target
  packageManager: PackageManager
  /** The package manager's version; '' if unknown. */
  version: string
  checkout: string | undefined
  /** Whether the bot leaves out libsql, see `hasSqlite`. */
  withSqlite: boolean
  /** The scripts and packages of the linter. */
  tools: ToolManifest
  /** Whether the bot is a package of a workspace, whose root pins the package manager. */
  inWorkspace: boolean
  /** Aborts a running `npm pack`. */
  signal?: AbortSignal
}): Promise<{ name: string; packed: Record<string, string> }> {
  const { draft, target, packageManager, version, checkout, withSqlite, tools, inWorkspace, signal } = options
  const file = path.join(draft, 'package.json')
  const { description: _ofTemplate, ...manifest } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  const wanted = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
  manifest.name = packageName(path.basename(target.path), target.scope, wanted)
  if (withSqlite) {
    delete manifest.dependencies['libsql']
    manifest.engines.node = `>=${NODE_WITH_SQLITE}`
    if (manifest.devDependencies['@types/node']) manifest.devDependencies['@types/node'] = TYPES_WITH_SQLITE
  }
  Object.assign(manifest.scripts, tools.scripts)
  manifest.devDependencies = sorted({ ...manifest.devDependencies, ...tools.devDependencies })
  // Corepack installs this version in the bot's Dockerfile and workflow.
  if (!inWorkspace && isNewYarn(packageManager, version)) manifest['packageManager'] = `yarn@${version}`
  let packed: Record<string, string> = {}
  if (checkout !== undefined) {
    const own = wanted.filter((one) => one.startsWith('@botwright/'))
    packed = await packCheckout(checkout, draft, own, signal)
    // Package managers look up the dependencies of a packed package on the registry, unless the bot itself overrides them.
    const needed = withoutDevelopment(checkout, Object.keys(manifest.dependencies))
    for (const [one, place] of Object.entries(packed)) {
      const section = needed.has(one) ? manifest.dependencies : manifest.devDependencies
      section[one] = place
    }
    Object.assign(manifest, overridesFor(packageManager, packed))
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  return { name: manifest.name, packed }
}

const sorted = (packages: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** npm resolves these from the bot's dependencies, Yarn and Bun from a field of package.json, pnpm from its settings file. */
function overridesFor(packageManager: PackageManager, packed: Record<string, string>): Record<string, unknown> {
  if (packageManager === 'yarn') return { resolutions: packed }
  return packageManager === 'bun' ? { overrides: packed } : {}
}

/** The checkout's packages that a bot requires in production. */
function withoutDevelopment(checkout: string, names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name) || !name.startsWith('@botwright/')) continue
    found.add(name)
    const file = path.join(checkout, 'packages', name.slice('@botwright/'.length), 'package.json')
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>
    withoutDevelopment(checkout, Object.keys(dependencies), found)
  }
  return found
}
