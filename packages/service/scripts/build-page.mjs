// Builds the web page of the local chat service into page/: the scripts and the style sheet of the chat, a script for each part that is
// loaded later, the emoji, the highlighting of code, and the style sheet of the API reference, with no external requests.
import { build } from 'esbuild'
import { gemoji } from 'gemoji'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path, { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBundledLibraries } from '../../../.config/bundled-libraries.mjs'

const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await mkdir(from('page'), { recursive: true })
const written = new Set()
/** Writes a file atomically, so that concurrent readers never see a partial file. */
async function put(name, contents) {
  const half = from(`page/${name}.${process.pid}`)
  await writeFile(half, contents)
  await rename(half, from(`page/${name}`))
  written.add(name)
}

/** The page contains the routes as plain data, as scripts/freeze-routes.mjs wrote them: their source loads all schemas. */
const frozenRoutes = {
  name: 'frozen-routes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /people-api.routes\.ts$/ }, async () => ({
      contents: await readFile(from('dist/lib/people-api/routes.js')),
    })),
}

const settings = {
  write: false,
  outdir: from('page'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: from('src/page/tsconfig.json'),
  plugins: [frozenRoutes],
  legalComments: 'none',
  logLevel: 'warning',
}
const chat = await build({
  ...settings,
  entryPoints: { app: from('src/page/main.tsx') },
  // The parts that the page imports when they are first shown.
  splitting: true,
  chunkNames: '[name]-[hash]',
  metafile: true,
})
const others = await build({
  ...settings,
  metafile: true,
  entryPoints: {
    stream: from('src/page/stream/worker.ts'),
    highlighting: from('src/page/components/markdown/highlighting.ts'),
    reference: from('src/lib/reference/reference.css'),
  },
})
for (const { path, contents } of [...chat.outputFiles, ...others.outputFiles]) await put(basename(path), contents)

// Each emoji with its names, the words that find it, and its group.
const rows = gemoji.map(({ emoji, names, tags, description, category }) => {
  const words = new Set([...tags, ...description.toLowerCase().split(/\W+/)])
  return [emoji, names, [...words].filter(Boolean).join(' '), category]
})
await put('emoji.json', JSON.stringify(rows))

/** The scripts that app.js imports at its start: the browser loads them together with it. */
const [, app] = Object.entries(chat.metafile.outputs).find(([file]) => basename(file) === 'app.js')
const preloads = app.imports
  .filter(({ kind }) => kind === 'import-statement')
  .map((each) => `    <link rel="modulepreload" href="/assets/${basename(each.path)}" />\n`)
const html = await readFile(from('src/page/index.html'), 'utf8')
await put('index.html', html.replace('  </head>', `${preloads.join('')}  </head>`))

await writeBundledLibraries(from('page'), {
  inputs: [
    ...[chat, others].flatMap(({ metafile }) => Object.keys(metafile.inputs)),
    fileURLToPath(import.meta.resolve('gemoji')),
  ],
  manifest: from('package.json'),
})

// The names of parts change with their contents.
for (const name of await readdir(from('page')))
  if (/\.js$/.test(name) && !written.has(name)) await rm(from(path.join('page', name)))
