import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Released } from './released.ts'

/** A tarball as it would be published. */
export interface Packed {
  name: string
  version: string
  /** The tarball. */
  file: string
  /** Its SHA-512 digest, in the format of a lock file. */
  integrity: string
  /** Sizes of the tarball and of its unpacked files, in bytes. */
  size: number
  unpackedSize: number
  files: { path: string; size: number }[]
}

interface NpmPacked extends Omit<Packed, 'file'> {
  filename: string
}

const run = promisify(execFile)

/** Packs the packages from their current build, without running their scripts. */
export async function packAll(root: string, packages: readonly Released[], into: string): Promise<Packed[]> {
  const chosen = packages.flatMap(({ folder }) => ['--workspace', folder])
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into, ...chosen]
  const { stdout } = await run('npm', args, {
    cwd: root,
    maxBuffer: 64 * 2 ** 20,
    shell: process.platform === 'win32',
  })
  const packed = Object.values(JSON.parse(stdout) as Record<string, NpmPacked>)
  return packages.map(({ name }) => {
    const found = packed.find((one) => one.name === name)
    if (!found) throw new Error(`npm pack created no tarball of ${name}`)
    const { filename, ...rest } = found
    return { ...rest, file: join(into, filename) }
  })
}

/** Lists the tarballs next to it, in the order of publishing. On one line, so that a CI job can pass it to another. */
export const MANIFEST = 'manifest.json'

/** Packs the packages into a folder, with a manifest of their digests for `publishPacked`. */
export async function packRelease(root: string, packages: readonly Released[], into: string): Promise<Packed[]> {
  await mkdir(into, { recursive: true })
  const packed = await packAll(root, packages, into)
  const manifest = packed.map(({ name, version, file, integrity }) => ({
    name,
    version,
    file: basename(file),
    integrity,
  }))
  await writeFile(join(into, MANIFEST), JSON.stringify(manifest))
  return packed
}
