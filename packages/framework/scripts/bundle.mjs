// Joins what a bot's process loads: the framework's modules, those of the packages below, the logger and the HTTP client become a few
// files in dist/joined. Loading a hundred small modules takes longer than running them. Runs after the compiler, as part of `npm run build`.
import { build } from 'esbuild'
import { readFile, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const half = from(`joined.${process.pid}`)

/** Found from their own place (a native driver), optional, or loaded by few bots. */
const external = ['@botwright/sqlite', '@opentelemetry/api', 'commander', 'croner', 'prom-client', 'zod']

/**
 * esbuild cuts a chunk for each set of files that share a module. Where whatever is loaded by itself says that it needs all of `base`,
 * that is one chunk instead of twenty. `lazy` names those files, `program` those that are there before `base` is.
 */
const joinedWith = (base, lazy) => ({
  name: 'joined-with',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (path === base || !lazy.has(path)) return undefined
      return { contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(base)}\n` }
    })
  },
})

/** The HTTP client without what the house never asks of it: HTTP/2, and bodies of the kinds that `fetch` takes. */
const leanClient = {
  name: 'lean-client',
  setup(build) {
    const eager = "const connectH2 = require('./client-h2.js')"
    build.onLoad({ filter: /undici\/lib\/dispatcher\/client\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes(eager)) throw new Error(`${path} has no "${eager}" any more: look at what it loads now`)
      return { contents: text.replace(eager, "const connectH2 = (...all) => require('./client-h2.js')(...all)") }
    })
    build.onLoad({ filter: /undici\/lib\/web\/fetch\/body\.js$/ }, () => ({
      contents: "exports.extractBody = () => { throw new TypeError('a body is a text or bytes') }",
    }))
  },
}

/** The files that are loaded by themselves: the entries, and what is imported when it is needed. */
async function loadedAlone(options) {
  const { metafile } = await build({ ...options, write: false, metafile: true })
  const alone = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  return new Set(alone.map((path) => fileURLToPath(new URL(path, `file://${process.cwd()}/`))))
}

/** Every other command runs from the files of the first joining. */
const otherCommands = {
  name: 'other-commands',
  setup(build) {
    build.onResolve({ filter: /\/cli-program\.js$/ }, () => ({ path: './cli-program.js', external: true }))
  },
}

async function join(names, base, plugins = []) {
  const common = {
    entryPoints: names.map((path) => ({ in: from(`${path}.js`), out: path.replace('lib/', '') })),
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
    plugins: [leanClient, ...plugins],
  }
  const alone = await loadedAlone(common)
  alone.delete(from('cli.js'))
  await build({ ...common, plugins: [joinedWith(from(base), alone), ...common.plugins] })
}

await join(['index', 'start', 'replay', 'lib/cli-program', 'lib/worker-main'], 'lib/load-bot.js')
// `framework start` shares nothing with the others in its thread, and is quicker by itself.
await join(['cli'], 'lib/start-command.js', [otherCommands])
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
