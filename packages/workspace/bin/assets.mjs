#!/usr/bin/env node
// The second half of `npm run build`: deletes what the compiler made of sources that no longer exist, and runs the script "assets" of each
// package, which processes compiled code. Starts with the documents of `protocol`, which other packages include, and the bundles of
// `framework`, which the site's script runs; then all others in parallel.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), 'create-bot']
const manifests = folders.map((folder) => ({
  folder,
  ...JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')),
}))
for (const { folder } of manifests) deleteOrphans(`${root}${folder}/`)
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

/** The compiler keeps the outputs of deleted and moved sources, so a test that reads one passes until the next fresh clone. */
function deleteOrphans(folder) {
  if (!existsSync(`${folder}dist`)) return
  const ending = '.d.ts.map'
  for (const file of readdirSync(`${folder}dist`, { recursive: true })) {
    const stem = file.slice(0, -ending.length)
    if (!file.endsWith(ending) || existsSync(`${folder}src/${stem}.ts`)) continue
    for (const output of ['.js', '.d.ts', ending]) rmSync(`${folder}dist/${stem}${output}`, { force: true })
  }
}
