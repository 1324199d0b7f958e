/** The parts of package-lock.json that are read and written. */
export interface LockedPackage {
  version?: string
  /** The name on the registry, if the folder has another name. */
  name?: string
  integrity?: string
  /** A workspace. */
  link?: boolean
  /** Included in the tarball of another package. */
  inBundle?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
  dev?: boolean
  [field: string]: unknown
}

export interface LockFile {
  packages: Record<string, LockedPackage>
  [field: string]: unknown
}

const SYSTEMS = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'openharmony', 'sunos', 'aix']
const PROCESSORS = 'x64 arm64 arm ia32 ppc64 riscv64 s390x loong64 mips64el wasm32'.split(' ')
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

/**
 * Adds an entry for each optional package that the lock file refers to but does not contain. npm omits packages that the registry does not
 * offer, and `npm ci` then rejects the whole file. Changes `lock`; returns the added names.
 */
export function completeLock(lock: LockFile): string[] {
  const { packages } = lock
  const added: string[] = []
  for (const [place, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (resolve(packages, place, name) !== undefined) continue
      const platform = platformOf(name)
      // A range, or a package without a platform, is missing for another reason, which a script cannot fix.
      if (!platform || !VERSION.test(version)) continue
      // Next to the package that depends on it: two versions of that package each have their own.
      const beside = `${place.slice(0, place.lastIndexOf('node_modules/'))}node_modules/${name}`
      packages[beside] = {
        version,
        ...platform.cpu,
        ...(dev === true && { dev }),
        ...platform.libc,
        optional: true,
        os: [platform.os],
      }
      added.push(name)
    }
  }
  const [root = ['', {}], ...others] = Object.entries(packages)
  lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => (a < b ? -1 : 1))])
  return added
}

/** Whether an entry has its own tarball in a registry, and so a digest to compare. */
export const verifiable = (place: string, { link, inBundle }: LockedPackage): boolean =>
  place.includes('node_modules/') && link !== true && inBundle !== true

/**
 * Adds missing digests from the registry by name and version. `integrityOf` returns undefined if there is no such package.
 * Changes `lock`; returns the entries that still have no digest.
 */
export async function addIntegrity(
  { packages }: LockFile,
  ask: (name: string, version: string) => Promise<string | undefined>,
): Promise<string[]> {
  const unknown: string[] = []
  for (const [place, entry] of Object.entries(packages)) {
    if (!verifiable(place, entry) || entry.integrity) continue
    const { version = '', ...others } = entry
    const name = entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const integrity = await ask(name, version)
    if (integrity === undefined) unknown.push(`${name}@${version}`)
    else packages[place] = { version, integrity, ...others }
  }
  return unknown
}

/** Resolves like Node: in the folder's own node_modules, then in those of its parent folders. */
function resolve(packages: LockFile['packages'], place: string, name: string): LockedPackage | undefined {
  for (let from = place; ;) {
    const found = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`]
    if (found || from === '') return found
    from = from.slice(0, Math.max(from.lastIndexOf('node_modules/') - 1, 0))
  }
}

/** `@rollup/rollup-linux-arm-musleabihf`: the name contains the platform. */
function platformOf(name: string): { os: string; cpu: { cpu?: string[] }; libc: { libc?: string[] } } | undefined {
  const words = name.split(/[-_/]/)
  const os = SYSTEMS.find((one) => words.includes(one))
  const cpu = PROCESSORS.find((one) => words.includes(one))
  if (os === undefined) return undefined
  const [, libc] = /(gnu|musl)(?:eabi(?:hf)?)?$/.exec(name) ?? []
  const isLinux = os === 'linux' && libc !== undefined
  return {
    os,
    cpu: cpu === undefined ? {} : { cpu: [cpu] },
    libc: isLinux ? { libc: [libc === 'musl' ? 'musl' : 'glibc'] } : {},
  }
}
