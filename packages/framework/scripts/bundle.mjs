// Bundles what a bot's process loads: the framework's modules, those of the packages below and the libraries become a few files in dist/joined,
// with the declarations for the author's compiler beside them. Bundled packages need not be installed. Runs after the compiler, as part of `npm run build`.
import { build } from 'esbuild'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBundledLibraries } from '../../../.config/bundled-libraries.mjs'
import { joinTypes } from './join-types.mjs'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const half = from(`joined.${process.pid}`)

const entries = ['index', 'start', 'embed', 'replay', 'cluster']
const programs = ['cli/cli', 'bot/worker-main']

const common = {
  outdir: half,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Node compiles a whole file when it loads it, and whitespace is a quarter of each. Lines stay short, because Node prints the line of an uncaught error.
  minifyWhitespace: true,
  lineLimit: 160,
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
  },
  logLevel: 'warning',
  metafile: true,
}

/** `framework start` is a file of its own: loading one file is faster than loading sixty. */
const startAlone = {
  name: 'start-alone',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/start-command\.js$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './start-command.js', external: true },
    ),
}

await mkdir(half, { recursive: true })
const [split, start] = await Promise.all([
  build({
    ...common,
    entryPoints: [...entries, ...programs].map((path) => ({ in: from(`${path}.js`), out: basename(path) })),
    splitting: true,
    // One folder without levels: every module finds its neighbours and the package from its own place.
    chunkNames: '[name]-[hash]',
    plugins: [startAlone],
  }),
  build({ ...common, entryPoints: [from('cli/start-command.js')] }),
  joinTypes(half, entries),
])
const inputs = { ...split.metafile.inputs, ...start.metafile.inputs }
await writeBundledLibraries(half, { inputs: Object.keys(inputs), manifest: from('../package.json') })
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
// The control room has the colors of the chat page.
await copyFile(from('../../service/src/page/styles/palette.css'), from('../page/palette.css'))
