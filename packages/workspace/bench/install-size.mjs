// Compares the packages and megabytes that `npm install --omit=dev` installs for a bot of each framework, each in its own folder.
//   node install-size.mjs            after npm run build; ONLY=botwright,grammy selects frameworks
// Ours are packed from this checkout. The versions of the peers are those of the other benchmarks.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { packAll } from '../dist/lib/publishing/pack.js'
import { releasedPackages } from '../dist/lib/publishing/released.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'botwright-size-'))
const discord = { 'discord.js': '14.28.1' }

/** The dependencies of the smallest bot of each framework. */
const subjects = {
  'botwright on Node 24': { dependencies: await ours() },
  // Older versions of Node have no SQLite that create-bot uses, so it adds libsql.
  'botwright on Node 20': { dependencies: { ...(await ours()), libsql: '0.5.29' } },
  'robo.js': { dependencies: { 'robo.js': '0.10.32', ...discord } },
  CommandKit: { dependencies: { commandkit: '0.1.10', ...discord } },
  Sapphire: { dependencies: { '@sapphire/framework': '5.5.1', ...discord } },
  grammY: { dependencies: { grammy: '1.46.0' } },
  Bolt: { dependencies: { '@slack/bolt': '5.1.0' } },
}
const only = process.env.ONLY?.split(',')

try {
  console.log('| framework | packages | MB | largest |\n|---|---|---|---|')
  for (const [name, subject] of Object.entries(subjects)) {
    if (only && !only.includes(name)) continue
    const { packages, bytes, largest } = measure(name, subject)
    const heavy = largest.map((one) => `${one.name} ${megabytes(one.bytes)}`).join(', ')
    console.log(`| ${name} | ${packages} | ${megabytes(bytes)} | ${heavy} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The tarballs of the framework and of the packages that it depends on. */
async function ours() {
  const released = await releasedPackages(root)
  const needed = new Set(['@botwright/framework'])
  for (const one of released.toReversed())
    if (needed.has(one.name)) for (const name of Object.keys(one.file.dependencies ?? {})) needed.add(name)
  const chosen = released.filter(({ name }) => needed.has(name))
  const packed = await packAll(root, chosen, folder)
  return Object.fromEntries(packed.map(({ name, file }) => [name, `file:${file}`]))
}

function measure(name, { dependencies }) {
  const bot = path.join(folder, name.replaceAll(/\W+/g, '-'))
  mkdirSync(bot)
  writeFileSync(path.join(bot, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: bot, stdio: 'inherit' })
  // npm's own list of installed packages.
  const list = JSON.parse(readFileSync(path.join(bot, 'node_modules/.package-lock.json'), 'utf8'))
  const sizes = Object.keys(list.packages).map((place) => ({
    name: place.replace(/^.*node_modules\//, ''),
    bytes: sizeOf(path.join(bot, place)),
  }))
  sizes.sort((a, b) => b.bytes - a.bytes)
  return {
    packages: sizes.length,
    bytes: sizes.reduce((sum, one) => sum + one.bytes, 0),
    largest: sizes.slice(0, 3),
  }
}

/** The sum of file sizes, not of disk blocks. Nested packages count separately. */
function sizeOf(place) {
  return readdirSync(place, { withFileTypes: true }).reduce((sum, entry) => {
    const one = path.join(place, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(one)
    return sum + statSync(one).size
  }, 0)
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1)
}
