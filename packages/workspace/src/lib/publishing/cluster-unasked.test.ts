import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sourceFiles } from '../source-files.ts'
import { releasedPackages } from './released.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const engine = ['@botwright/cluster', 'ioredis']

interface Locked {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** All packages that npm installs with a package, according to the lock file. */
function installedWith(name: string, locked: Record<string, Locked>, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const { dependencies, optionalDependencies, peerDependencies } = locked[`node_modules/${name}`] ?? {}
  for (const one of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    installedWith(one, locked, found)
  return found
}

test('a bot without a cluster does not install its packages', async () => {
  const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const released = await releasedPackages(root)
  // The lock file lists our own packages by their folders.
  for (const { name, file } of released) locked[`node_modules/${name}`] = file
  for (const { name } of released) {
    const installed = installedWith(name, locked)
    // The cluster package itself shows that this search would find it.
    const expected = name === '@botwright/cluster' ? engine : []
    expect({ name, found: engine.filter((one) => installed.has(one)) }).toEqual({ name, found: expected })
  }
  const templates = (await sourceFiles(root)).filter((path) => /^templates\/[^/]+\/package\.json$/.test(path))
  expect(templates.length).toBeGreaterThan(2)
  for (const path of templates) {
    const text = await readFile(join(root, path), 'utf8')
    expect({ path, found: engine.filter((one) => text.includes(`"${one}"`)) }).toEqual({ path, found: [] })
  }
})
