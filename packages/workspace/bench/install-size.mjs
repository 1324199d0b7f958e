// What a bot in production installs, beside its peers: packages and megabytes of `npm install --omit=dev`, each in a folder of its own.
//   node install-size.mjs            after npm run build; ONLY=botwright,grammy for some of them
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

/** What the smallest bot of each depends on. */
const subjects = {
  botwright: await ours(),
  // Where Node has SQLite itself, the templates' Dockerfile takes the native part of libsql away.
  'botwright on Node 24': { ...(await ours()), without: /^@libsql\/linux-/ },
  'robo.js': { dependencies: { 'robo.js': '0.10.32', ...discord } },
  CommandKit: { dependencies: { commandkit: '0.1.10', ...discord } },
  Sapphire: { dependencies: { '@sapphire/framework': '5.5.1', ...discord } },
  grammY: { dependencies: { grammy: '1.46.0' } },
  Bolt: { dependencies: { '@slack/bolt': '5.1.0' } },
}
const only = process.env.ONLY?.split(',')

try {
  console.log('| what | packages | MB | the largest |\n|---|---|---|---|')
  for (const [name, subject] of Object.entries(subjects)) {
    if (only && !only.includes(name)) continue
    const { packages, bytes, largest } = measure(name, subject)
    const heavy = largest.map((one) => `${one.name} ${megabytes(one.bytes)}`).join(', ')
    console.log(`| ${name} | ${packages} | ${megabytes(bytes)} | ${heavy} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The framework's tarball, and those of our packages that it needs. */
async function ours() {
  const released = await releasedPackages(root)
  const needed = new Set(['@botwright/framework'])
  for (const one of released.toReversed())
    if (needed.has(one.name)) for (const name of Object.keys(one.file.dependencies ?? {})) needed.add(name)
  const chosen = released.filter(({ name }) => needed.has(name))
  const packed = await packAll(root, chosen, folder)
  return { dependencies: Object.fromEntries(packed.map(({ name, file }) => [name, `file:${file}`])) }
}

function measure(name, { dependencies, without }) {
  const bot = path.join(folder, name.replaceAll(/\W+/g, '-'))
  mkdirSync(bot)
  writeFileSync(path.join(bot, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: bot, stdio: 'inherit' })
  // npm's own list of what it has put there.
  const list = JSON.parse(readFileSync(path.join(bot, 'node_modules/.package-lock.json'), 'utf8'))
  const sizes = Object.keys(list.packages)
    .map((place) => ({ name: place.replace(/^.*node_modules\//, ''), bytes: sizeOf(path.join(bot, place)) }))
    .filter((one) => !without?.test(one.name))
  sizes.sort((a, b) => b.bytes - a.bytes)
  return {
    packages: sizes.length,
    bytes: sizes.reduce((sum, one) => sum + one.bytes, 0),
    largest: sizes.slice(0, 3),
  }
}

/** Of the files as they are, not of the blocks that they take; packages inside count for themselves. */
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
