import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const house = ['framework', 'dev', 'service', 'testing', 'languages', 'cluster', 'protocol', 'rest', 'events'].map(
  (name) => `@botwright/${name}`,
)

/** The versions of the packages that a bot's folder leads to, by their names; those that are not installed are left out. */
export function packageVersions(root: string, others: readonly string[] = []): Record<string, string> {
  const versions: Record<string, string> = {}
  for (const name of [...house, ...others]) {
    const version = versionOf(root, name)
    if (version !== undefined) versions[name] = version
  }
  return versions
}

/** By walking up the folders, as Node finds packages: what a package exports does not matter. */
function versionOf(root: string, name: string): string | undefined {
  for (const folder of createRequire(join(root, 'package.json')).resolve.paths(name) ?? [dirname(root)]) {
    try {
      const text = readFileSync(join(folder, name, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version?: string }).version
    } catch {
      // Not in this folder: the next one is higher up.
    }
  }
  return undefined
}
