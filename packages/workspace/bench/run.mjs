// Puts this repository's peers and its built packages into a copy of the rig: node run.mjs <rig> [script ...]
// With scripts (t1-poll.mjs ...) it runs them there, one after the other; PEERS, REPS and the like are handed on.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const [rigArgument, ...scripts] = process.argv.slice(2)
const rig = path.resolve(rigArgument ?? '.')
if (!rigArgument || !existsSync(path.join(rig, 'lib/gen.mjs'))) {
  console.error('usage: node run.mjs <a copy of the rig, after npm install> [t1-poll.mjs ...]')
  process.exit(2)
}

for (const table of readdirSync(path.join(here, 'peers'))) {
  mkdirSync(path.join(rig, 'peers', table), { recursive: true })
  for (const file of readdirSync(path.join(here, 'peers', table)))
    copyFileSync(path.join(here, 'peers', table, file), path.join(rig, 'peers', table, file))
}
const packages = path.resolve(here, '../../../node_modules/@botwright')
const link = path.join(rig, 'node_modules/@botwright')
if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
symlinkSync(packages, link, 'dir')

for (const script of scripts) {
  const { status } = spawnSync(process.execPath, [script], { cwd: rig, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
