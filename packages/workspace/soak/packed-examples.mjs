// Checks, tests, builds, starts and calls every example outside the checkout, with packed packages, on each version of
// Node. Needs the build, and bin/tools.mjs for versions other than the current one.
//   NODES=20,24 ONLY=quiz,poll node packages/workspace/soak/packed-examples.mjs
// Exit code 0: everything passed.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyExample } from '../dist/lib/packed/copy-example.js'
import { tryBot } from '../dist/lib/packed/try-bot.js'
import { packAll } from '../dist/lib/publishing/pack.js'
import { releasedPackages } from '../dist/lib/publishing/released.js'
import { otherNode } from '../dist/lib/publishing/tools.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const manifest = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
const here = Number.parseInt(process.versions.node)
const majors = (process.env['NODES'] ?? `${here},24`).split(',').map(Number)
const only = process.env['ONLY']?.split(',')
const examples = readdirSync(path.join(root, 'examples'))
const isPlugin = (name) => manifest(`examples/${name}`).botwright !== undefined

const outside = mkdtempSync(path.join(tmpdir(), 'botwright-examples-'))
try {
  await install()
  console.log('| example | Node | check s | tests | test s | build s | start s |\n|---|---|---|---|---|---|---|')
  for (const name of examples.filter((one) => !isPlugin(one) && (only?.includes(one) ?? true))) {
    const folder = path.join(outside, name)
    await copyExample(root, name, folder, path.join(outside, 'node_modules'))
    for (const major of majors) await tryOn(name, folder, major)
  }
} finally {
  rmSync(outside, { recursive: true, force: true, maxRetries: 5 })
}

/** One installation for all: the packed packages, the plugins among the examples, and the development tools of the templates. */
async function install() {
  const tarballs = path.join(outside, 'tarballs')
  mkdirSync(tarballs)
  const plugins = examples.filter(isPlugin).map((name) => {
    const { name: full, version } = manifest(`examples/${name}`)
    return { name: full, version, folder: `examples/${name}` }
  })
  const packed = await packAll(root, [...(await releasedPackages(root)), ...plugins], tarballs)
  const { typescript, vitest, '@types/node': types } = manifest('templates/basic').devDependencies
  const dependencies = {
    ...Object.fromEntries(packed.map(({ name, file }) => [name, `file:${file}`])),
    ...{ typescript, vitest, '@types/node': types },
  }
  writeFileSync(path.join(outside, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: outside, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function tryOn(name, folder, major) {
  const node = major === here ? process.execPath : otherNode(major)
  if (node === undefined) throw new Error(`Node ${major} is not installed: node packages/workspace/bin/tools.mjs`)
  const trials = await tryBot(folder, node)
  const seconds = (what) => trials.find((one) => one.name === what)?.seconds.toFixed(1) ?? ''
  const [, passed = ''] = /Tests +(\d+ passed)/.exec(trials.find((one) => one.name === 'test')?.output ?? '') ?? []
  console.log(
    `| ${name} | ${major} | ${seconds('check')} | ${passed} | ${seconds('test')} | ${seconds('build')} | ${seconds('start')} |`,
  )
  for (const { name: what, output } of trials.filter((one) => !one.ok)) {
    console.error(`WRONG: ${name} on Node ${major}, ${what}: ${output}`)
    process.exitCode = 1
  }
}
