// Copies this repository's adapters and links its built packages into a copy of the rig: node run.mjs <rig> [script ...]
// Then runs the given scripts (t1-poll.mjs ...) there, one after the other. They receive PEERS, REPS and other variables.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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
// The runtime requests its bot's profile before it opens its journal and its history. The stubs respond without an id, or without a name.
for (const [file, before, send] of [
  [
    'lib/live-stub.mjs',
    "    if (u.startsWith('/v1/events'))",
    "if (u === '/v1/me') return send(res, JSON.stringify(%));",
  ],
  ['lib/stub.mjs', "    if (url.startsWith('/v1/'))", "if (url === '/v1/me') return send(res, fixed(%));"],
]) {
  const stub = path.join(rig, file)
  const route = send.replace('%', "{ id: uuid(2), username: 'bench' }")
  const source = readFileSync(stub, 'utf8')
  if (source.includes(route)) continue
  if (!source.includes(before))
    throw new Error(`${stub}: unexpected content: this script needs another version of the rig`)
  writeFileSync(stub, source.replace(before, `    ${route}\n${before}`))
}

const packages = path.resolve(here, '../../../node_modules/@botwright')
const link = path.join(rig, 'node_modules/@botwright')
if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
symlinkSync(packages, link, 'dir')

for (const script of scripts) {
  const { status } = spawnSync(process.execPath, [script], { cwd: rig, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
