import { readPackages, type PackageFile } from '../packages.ts'

/** A published package. */
export interface Released {
  name: string
  version: string
  /** From the repository's root. */
  folder: string
  file: PackageFile
}

/** Every published package, each after its dependencies: the order of publishing. */
export async function releasedPackages(root: string): Promise<Released[]> {
  const packages = (await readPackages(root)).filter(({ folder, file }) => isHouse(folder) && file.private !== true)
  const all = new Map(
    packages
      .map(({ folder, file }) => ({ name: file.name ?? '', version: file.version ?? '', folder, file }))
      .sort((a, b) => a.name.localeCompare(b.name))
      .map((one) => [one.name, one]),
  )
  const ordered = new Set<Released>()
  const add = (one: Released, above: readonly string[]) => {
    if (above.includes(one.name)) throw new Error(`${[...above, one.name].join(' needs ')}: a cycle`)
    for (const name of Object.keys({ ...one.file.dependencies, ...one.file.peerDependencies })) {
      const needed = all.get(name)
      if (needed) add(needed, [...above, one.name])
    }
    ordered.add(one)
  }
  for (const one of all.values()) add(one, [])
  return [...ordered]
}

const isHouse = (folder: string): boolean => /^(?:packages\/[^/]+|create-bot)$/.test(folder)
