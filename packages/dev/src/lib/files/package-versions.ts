import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readPackageJson } from '@botwright/framework/start'

const ownPackages = [
  'framework',
  'dev',
  'service',
  'testing',
  'languages',
  'cluster',
  'protocol',
  'rest',
  'events',
].map((name) => `@botwright/${name}`)

/** The versions of the packages that a bot's folder resolves, by name, without those that are not installed. */
export function packageVersions(root: string, others: readonly string[] = []): Record<string, string> {
  const versions: Record<string, string> = {}
  for (const name of [...ownPackages, ...others]) {
    const version = versionOf(root, name)
    if (version !== undefined) versions[name] = version
  }
  return versions
}

/** Walks up the folders, as Node's resolution does: the exports of a package do not matter. */
function versionOf(root: string, name: string): string | undefined {
  for (const folder of createRequire(join(root, 'package.json')).resolve.paths(name) ?? [dirname(root)]) {
    const found = readPackageJson(join(folder, name))
    if (found) return found.version
  }
  return undefined
}
