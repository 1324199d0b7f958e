#!/usr/bin/env node
// The second half of `npm run build`: runs the script "assets" of each package, which processes compiled code. Starts with the documents of
// `protocol`, which other packages include, and the bundles of `framework`, which the site's script runs; then all others in parallel.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), 'create-bot']
const manifests = folders.map((folder) => ({
  folder,
  ...JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')),
}))
const steps = manifests.filter(({ scripts }) => scripts?.assets).map(({ folder }) => folder)
const first = ['packages/protocol', 'packages/framework']
const ended = []
for (const group of [...first.map((folder) => [folder]), steps.filter((folder) => !first.includes(folder))])
  ended.push(...(await Promise.all(group.map(run))))
process.exitCode = Math.max(0, ...ended)

async function run(folder) {
  const npm = spawn('npm', ['run', '--silent', 'assets', '-w', folder], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  const [code] = await once(npm, 'close')
  return code ?? 1
}
