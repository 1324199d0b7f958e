import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readPackageJson } from '../../program/package-json.ts'

const ownPackages = [
  'framework',
  'dev',
  'service',
  'testing',
  'languages',
  'plugins',
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

/** The versions of the libraries that the framework of a bot's folder contains, by name. */
export function bundledVersions(root: string): Record<string, string> {
  const folder = packageFolder(root, '@botwright/framework')
  const file = folder === undefined ? undefined : join(folder, 'dist/joined/sbom.cdx.json')
  if (file === undefined || !existsSync(file)) return {}
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: { name: string; version: string }[] }
  return Object.fromEntries(components.map(({ name, version }) => [name, version]))
}

const versionOf = (root: string, name: string): string | undefined => {
  const folder = packageFolder(root, name)
  return folder === undefined ? undefined : readPackageJson(folder)?.version
}

/** The folder of an installed package. Walks up the folders, as Node's resolution does: the exports of a package do not matter. */
export function packageFolder(root: string, name: string): string | undefined {
  const folders = createRequire(join(root, 'package.json')).resolve.paths(name) ?? [dirname(root)]
  return folders.map((folder) => join(folder, name)).find((folder) => readPackageJson(folder))
}
