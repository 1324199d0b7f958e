import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Packed } from './pack.ts'
import type { Released } from './released.ts'

const run = promisify(execFile)

/** Unpacks tarballs into a folder of workspaces, to publish exactly the packed files from there. */
export async function unpackInto(stage: string, released: readonly Released[], packed: readonly Packed[]) {
  const workspaces = released.map(({ folder }) => folder)
  await mkdir(stage, { recursive: true })
  await writeFile(join(stage, 'package.json'), JSON.stringify({ name: 'stage', private: true, workspaces }))
  for (const { name, folder } of released) {
    const tarball = packed.find((one) => one.name === name)
    if (!tarball) throw new Error(`${name} was not packed`)
    await mkdir(join(stage, folder), { recursive: true })
    await run('tar', ['-xzf', tarball.file, '--strip-components=1', '-C', join(stage, folder)])
  }
}
