import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packCheckout } from './packed.ts'
import { isNewYarn, type PackageManager } from './package-manager.ts'
import { packageName } from './place.ts'
import type { Target } from './target.ts'

interface Manifest {
  name: string
  /** What the template is; the bot's author will say what the bot is. */
  description?: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  [field: string]: unknown
}

/**
 * Writes the bot's package.json; in a checkout its packages are packed, and the bot depends on those files. Gives the bot's name and
 * where each packed package is.
 */
export async function writeManifest(options: {
  draft: string
  target: Target
  packageManager: PackageManager
  /** Of the package manager; '' when nobody knows. */
  version: string
  checkout: string | undefined
  /** Ends a packing on its way. */
  signal?: AbortSignal
}): Promise<{ name: string; packed: Record<string, string> }> {
  const { draft, target, packageManager, version, checkout, signal } = options
  const file = path.join(draft, 'package.json')
  const { description: _ofTemplate, ...manifest } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  const wanted = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
  manifest.name = packageName(path.basename(target.path), target.scope, wanted)
  // Corepack, in the bot's Dockerfile and workflow, installs this version.
  if (isNewYarn(packageManager, version)) manifest['packageManager'] = `yarn@${version}`
  let packed: Record<string, string> = {}
  if (checkout !== undefined) {
    const own = wanted.filter((one) => one.startsWith('@botwright/'))
    packed = await packCheckout(checkout, draft, own, signal)
    // A package manager looks for what a packed package needs on the registry, unless the bot itself says otherwise.
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

/** npm resolves these from the bot's own dependencies, Yarn and Bun from a field of package.json, pnpm from its settings file. */
function overridesFor(packageManager: PackageManager, packed: Record<string, string>): Record<string, unknown> {
  if (packageManager === 'yarn') return { resolutions: packed }
  return packageManager === 'bun' ? { overrides: packed } : {}
}

/** Of the checkout's packages those that a bot needs in production. */
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
