// Bundles what a bot's process loads: the framework's modules, those of the packages below and the libraries become a few files in dist/joined,
// with the declarations for the author's compiler beside them. Bundled packages need not be installed. Runs after the compiler, as part of `npm run build`.
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rolldown } from 'rolldown'
import { writeBundledLibraries } from '../../../.config/bundled-libraries.mjs'
import { joinTypes } from './join-types.mjs'

const from = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const moduleOf = (path) => from(`${path}.js`)
const half = from(`joined.${process.pid}`)

const entries = ['index', 'start', 'embed', 'functions', 'replay', 'cluster']
const programs = ['cli/cli', 'bot/worker-main']
/**
 * The modules that every start of a bot loads: the program, the command, and the bot's thread with the imports of the author's files. Some are
 * loaded with `import()`, because other users of the same modules do without.
 */
const startups = {
  cli: ['cli/cli'],
  start: [
    'cli/start-command',
    'runtime/config/config-schema',
    'runtime/threads/dispatcher-worker',
    'features/conversations/lost-conversations',
    'features/set-aside/replay-requests',
  ],
  bot: [
    'bot/worker-main',
    'index',
    'bot/load/load-rest',
    'features/bot-features',
    'features/conversations/questions',
    'features/models/run-tool',
    'features/tasks/stored-timers',
  ],
}

/** Node compiles a whole file when it loads it, and whitespace is a quarter of each. Lines stay short, because Node prints the line of an uncaught error. */
const shortLines = {
  name: 'short-lines',
  renderChunk: async (code) =>
    (await transform(code, { minifyWhitespace: true, lineLimit: 160, legalComments: 'none', target: 'node20' })).code,
}

/** Features that no function has: its build refuses their files, or its invocations do not load their layers. */
const lasting = [
  'durable/runs/open-runs',
  'errors/error-files',
  'history/recording/recording-layer',
  'switches/off-guards',
  'tracing/tracing-layer',
].map((feature) => moduleOf(`features/${feature}`))

/** Connections over the global `fetch`, for platforms without sockets. */
const fetchOnly = {
  name: 'fetch-only',
  // An unused import of a module of Node is removed.
  resolveId: (id) => (id.startsWith('node:') ? { id, external: true, moduleSideEffects: false } : undefined),
  load: (id) =>
    /rest[\\/]dist[\\/]lib[\\/]connection[\\/]transport\.js$/.test(id)
      ? `import { connectByFetch } from './fetch-transport.js'
export const connectByHttp = connectByFetch
export class Transport {
  constructor(...given) {
    return connectByFetch(...given)
  }
}`
      : lasting.includes(id)
        ? `throw new Error('functions do not have this feature; run the bot with framework start')`
        : undefined,
}

/** The modules of Node that Workers have too (`nodejs_compat`), and that this code uses. */
const inWorkers = ['async_hooks', 'buffer', 'crypto', 'events', 'fs', 'module', 'path', 'stream', 'url', 'util']

/**
 * Loading one file is faster than loading sixty, so all modules that the same startups load are one file. The bundler splits the modules that
 * features load later.
 */
function joinStartups() {
  let startupsOf
  return {
    debugName: 'startups',
    name(id, modules) {
      startupsOf ??= findStartups(modules)
      return startupsOf.get(id)?.join('-') ?? null
    },
    // All modules that a module imports have at least its startups.
    includeDependenciesRecursively: false,
  }
}

function findStartups(modules) {
  const found = new Map()
  const entered = new Set([...entries, ...programs].map(moduleOf))
  for (const [name, paths] of Object.entries(startups)) {
    const loaded = new Set(paths.map(moduleOf))
    for (const id of loaded) {
      const module = modules.getModuleInfo(id)
      if (!module) throw new Error(`no module of the bundle imports ${id}`)
      for (const imported of module.importedIds) if (!imported.startsWith('node:')) loaded.add(imported)
    }
    // An entry runs when it is imported, so it stays a file of its own.
    for (const id of loaded) if (!entered.has(id)) found.set(id, [...(found.get(id) ?? []), name])
  }
  return found
}

async function bundle(dir, paths, plugins, codeSplitting) {
  const input = Object.fromEntries(paths.map((path) => [basename(path), moduleOf(path)]))
  const built = await rolldown({
    ...{ input, platform: 'node', plugins },
    // One module may import on demand a module that another one of the same bundle needs at once.
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
    preserveEntrySignatures: codeSplitting === true ? 'strict' : 'allow-extension',
  })
  try {
    // One folder without levels: every module finds its neighbours and the package from its own place.
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
    const { output } = await built.write({ dir, ...names, minify: false, codeSplitting, plugins: [shortLines] })
    return output
  } finally {
    await built.close()
  }
}

/** The modules of a function: one copy for the author's files and for the code around them. */
async function bundleForFunctions() {
  const output = await bundle(join(half, 'functions'), ['index', 'functions'], [fetchOnly], true)
  const own = new Set(output.map(({ fileName }) => fileName))
  const used = output.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  const unknown = used.filter((id) => !own.has(id) && !inWorkers.includes(id.replace(/^node:/, '')))
  if (unknown.length > 0) throw new Error(`functions cannot import ${[...new Set(unknown)].join(', ')}`)
  return output
}

await mkdir(half, { recursive: true })
const outputs = await Promise.all([
  bundle(half, [...entries, ...programs], [], { groups: [joinStartups()] }),
  bundleForFunctions(),
  joinTypes(half, entries),
])
const inputs = outputs.flat().flatMap((chunk) => chunk?.moduleIds ?? [])
await writeBundledLibraries(half, { inputs, manifest: from('../package.json') })
await rm(from('joined'), { recursive: true, force: true })
await rename(half, from('joined'))
// The control room has the colors of the chat page.
await copyFile(from('../../service/src/page/styles/palette.css'), from('../page/palette.css'))
