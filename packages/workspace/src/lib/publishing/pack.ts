import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Released } from './released.ts'

/** A tarball as it would be published. */
export interface Packed {
  name: string
  version: string
  /** The tarball. */
  file: string
  /** Of the tarball, and of what it unpacks to, in bytes. */
  size: number
  unpackedSize: number
  files: { path: string; size: number }[]
}

interface NpmPacked extends Omit<Packed, 'file'> {
  filename: string
}

const run = promisify(execFile)

/** Packs the packages as they are built now, without running a script of theirs. */
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
    if (!found) throw new Error(`npm pack made no tarball of ${name}`)
    const { filename, ...rest } = found
    return { ...rest, file: join(into, filename) }
  })
}
