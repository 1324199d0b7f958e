// Joins what a bot's process loads: the framework's modules, those of the packages below and the logger become a few files in dist/joined.
// Loading a hundred small modules takes longer than running them. Runs after the compiler, as part of `npm run build`.
import { build } from 'esbuild'
import { rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const half = from(`joined.${process.pid}`)

/** Found from their own place (a native driver), optional, or loaded by few bots. */
const external = [
  '@botwright/sqlite',
  '@opentelemetry/api',
  'commander',
  'croner',
  'prom-client',
  'undici',
  'undici/*',
  'zod',
]

await build({
  entryPoints: ['index', 'start', 'replay', 'cli', 'lib/worker-main'].map((path) => ({
    in: from(`${path}.js`),
    out: path.replace('lib/', ''),
  })),
  outdir: half,
  bundle: true,
  splitting: true,
  // One folder without levels: every module finds its neighbours and the package from its own place.
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
  },
  logLevel: 'warning',
})
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
