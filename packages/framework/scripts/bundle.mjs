// Bundles what a bot's process loads: the framework's modules, those of the packages below and the libraries become a few files in dist/joined,
// with the declarations for the author's compiler beside them. Bundled packages need not be installed. Runs after the compiler, as part of `npm run build`.
import { build } from 'esbuild'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBundledLibraries } from '../../../.config/bundled-libraries.mjs'
import { joinTypes } from './join-types.mjs'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const half = from(`joined.${process.pid}`)

const entries = ['index', 'start', 'embed', 'functions', 'replay', 'cluster']
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

/** Connections over the global `fetch`, for platforms without sockets. */
const fetchOnly = {
  name: 'fetch-only',
  setup({ onLoad, onResolve }) {
    // An unused import of a module of Node is removed.
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
    onLoad({ filter: /rest\/dist\/lib\/connection\/transport\.js$/ }, ({ path }) => ({
      contents: `import { connectByFetch } from './fetch-transport.js'
export const connectByHttp = connectByFetch
export class Transport {
  constructor(...given) {
    return connectByFetch(...given)
  }
}`,
      resolveDir: dirname(path),
    }))
  },
}

/** The modules of Node that Workers have too (`nodejs_compat`), and that this code uses. */
const inWorkers = ['async_hooks', 'buffer', 'crypto', 'events', 'fs', 'module', 'path', 'stream', 'url', 'util']

/** The modules of a function: one copy for the author's files and for the code around them. */
async function buildForFunctions() {
  const { banner: _, ...rest } = common
  const built = await build({
    ...rest,
    outdir: `${half}/functions`,
    entryPoints: ['index', 'functions'].map((path) => ({ in: from(`${path}.js`), out: path })),
    splitting: true,
    chunkNames: '[name]-[hash]',
    plugins: [fetchOnly],
  })
  const used = Object.values(built.metafile.outputs).flatMap(({ imports }) => imports.filter((one) => one.external))
  const unknown = used.map(({ path }) => path).filter((path) => !inWorkers.includes(path.replace(/^node:/, '')))
  if (unknown.length > 0) throw new Error(`functions cannot import ${[...new Set(unknown)].join(', ')}`)
  return built
}

await mkdir(half, { recursive: true })
const [split, start, functions] = await Promise.all([
  build({
    ...common,
    entryPoints: [...entries, ...programs].map((path) => ({ in: from(`${path}.js`), out: basename(path) })),
    splitting: true,
    // One folder without levels: every module finds its neighbours and the package from its own place.
    chunkNames: '[name]-[hash]',
    plugins: [startAlone],
  }),
  build({ ...common, entryPoints: [from('cli/start-command.js')] }),
  buildForFunctions(),
  joinTypes(half, entries),
])
const inputs = { ...split.metafile.inputs, ...start.metafile.inputs, ...functions.metafile.inputs }
await writeBundledLibraries(half, { inputs: Object.keys(inputs), manifest: from('../package.json') })
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
// The control room has the colors of the chat page.
await copyFile(from('../../service/src/page/styles/palette.css'), from('../page/palette.css'))
