// Joins what a bot's process loads: the framework's modules, those of the packages below and the libraries become a few files in dist/joined,
// with the declarations for the author's compiler beside them.
// Loading a hundred small modules takes longer than running them, and what is joined need not be installed. Runs after the compiler, as part of `npm run build`.
import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinTypes } from './join-types.mjs'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const half = from(`joined.${process.pid}`)

const { dependencies, peerDependencies } = JSON.parse(await readFile(from('../package.json'), 'utf8'))
const joinedFiles = new Set()

/** The house's packages are joined. */
const external = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !name.startsWith('@botwright/'))

/** The schemas' library is one file that all share, and speaks English: its words in fifty other languages would be a third of it. */
const schemas = {
  name: 'schemas',
  setup(build) {
    const path = build.initialOptions.format === 'cjs' ? './zod.cjs' : './zod.js'
    build.onResolve({ filter: /^zod(?:\/|$)/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true },
    )
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(path),
    }))
  },
}

/**
 * esbuild cuts a chunk for each set of files that share a module. Where whatever is loaded by itself says that it needs all of `base`,
 * that is one chunk instead of twenty. `lazy` names those files.
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
      if (!text.includes(eager)) throw new Error(`${path} no longer contains "${eager}": check what it loads now`)
      return { contents: text.replace(eager, "const connectH2 = (...all) => require('./client-h2.js')(...all)") }
    })
    build.onLoad({ filter: /undici\/lib\/web\/fetch\/body\.js$/ }, () => ({
      contents: "exports.extractBody = () => { throw new TypeError('a body is a text or bytes') }",
    }))
  },
}

/** Metrics are counters, gauges and histograms: the rest of the library is most of what it would bring along. */
const metricsOnly = {
  name: 'metrics-only',
  setup(build) {
    build.onLoad({ filter: /prom-client\/index\.js$/ }, () => ({
      contents: ['Counter', 'Gauge', 'Histogram', 'Registry']
        .map((name) => `exports.${name} = require('./lib/${name.toLowerCase()}')`)
        .join('\n'),
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
    entryPoints: names.map((path) => ({ in: from(`${path}.js`), out: basename(path) })),
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
    plugins: [schemas, leanClient, metricsOnly, ...plugins],
  }
  const alone = await loadedAlone(common)
  const { metafile } = await build({
    ...common,
    plugins: [joinedWith(from(base), alone), ...common.plugins],
    metafile: true,
  })
  for (const file of Object.keys(metafile.inputs)) joinedFiles.add(file)
}

/**
 * `framework start` shares nothing with the others in its thread. It is CommonJS, of which alone V8 can keep what it has compiled: a small
 * file that starts the first worker, and a great one that is loaded with that. The great one's first line is the hash of the rest.
 */
async function joinStart() {
  const entries = ['cli/cli', 'cli/cold-start/practise-start', 'cli/start-command']
  const { metafile, outputFiles } = await build({
    entryPoints: entries.map((path) => from(`${path}.js`)),
    ...{ outdir: half, entryNames: '[name]', outExtension: { '.js': '.cjs' } },
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node20', external },
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href" },
    plugins: [schemas, leanClient, metricsOnly, otherCommands],
    ...{ logLevel: 'warning', metafile: true, write: false },
  })
  for (const file of Object.keys(metafile.inputs)) joinedFiles.add(file)
  for (const { path, text } of outputFiles)
    await writeFile(path, `// ${createHash('sha256').update(text).digest('hex')}\n${text}`)
}

/** The licenses of the libraries whose code is joined: each of them asks to be kept with its code. */
async function licenses() {
  const folders = [...joinedFiles].flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const name = folder.replace(/^.*node_modules\//, '')
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry))
    if (!file) throw new Error(`${name} has no license file: its code cannot be joined`)
    return `${name}\n\n${(await readFile(`${folder}/${file}`, 'utf8')).trim()}\n`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

/** The schemas' library, for those who import it and for those who require it. */
async function joinSchemas(format, extension) {
  const { metafile } = await build({
    entryPoints: [{ in: fileURLToPath(import.meta.resolve('zod')), out: 'zod' }],
    ...{ outdir: half, bundle: true, platform: 'node', target: 'node20', metafile: true, plugins: [schemas] },
    ...{ format, outExtension: { '.js': extension } },
  })
  for (const file of Object.keys(metafile.inputs)) joinedFiles.add(file)
}

await mkdir(half, { recursive: true })
await Promise.all([
  join(
    ['index', 'start', 'replay', 'cluster', 'cli/cli-program', 'bot/worker-main', 'bot/practice'],
    'bot/load-bot.js',
  ),
  joinStart(),
  joinSchemas('esm', '.js'),
  joinSchemas('cjs', '.cjs'),
  joinTypes(half, ['index', 'start', 'replay', 'cluster']),
])
// What bot/practice.ts loads: a file of a bot as `framework dev` compiles it.
const map = { version: 3, sources: ['practice.ts'], names: [], mappings: 'AAAA' }
await writeFile(
  `${half}/practice-command.mjs`,
  `import { command } from '@botwright/framework'
export default command({ description: 'Practice', run: (ctx) => 'done' + ctx.typed })
//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}
`,
)
await writeFile(`${half}/LICENSES.txt`, await licenses())
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
