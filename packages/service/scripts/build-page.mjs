// Builds the web page of the local chat service into page/: one script and one style sheet, the emoji, the highlighting of code, and the style sheet of the API
// reference, with no external requests.
import { build } from 'esbuild'
import { gemoji } from 'gemoji'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await mkdir(from('page'), { recursive: true })
/** Writes a file atomically, so that concurrent readers never see a partial file. */
async function put(path, contents) {
  const half = `${path}.${process.pid}`
  await writeFile(half, contents)
  await rename(half, path)
}

/** The page contains the routes as plain data, as scripts/freeze-routes.mjs wrote them: their source loads all schemas. */
const frozenRoutes = {
  name: 'frozen-routes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /people-api.routes\.ts$/ }, async () => ({
      contents: await readFile(from('dist/lib/people-api/routes.js')),
    })),
}

const { outputFiles } = await build({
  write: false,
  entryPoints: {
    app: from('src/page/main.tsx'),
    stream: from('src/page/stream/worker.ts'),
    highlighting: from('src/page/components/markdown/highlighting.ts'),
    reference: from('src/lib/reference/reference.css'),
  },
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
})
for (const { path, contents } of outputFiles) await put(from(`page/${basename(path)}`), contents)
// Each emoji with its names, the words that find it, and its group.
const rows = gemoji.map(({ emoji, names, tags, description, category }) => {
  const words = new Set([...tags, ...description.toLowerCase().split(/\W+/)])
  return [emoji, names, [...words].filter(Boolean).join(' '), category]
})
await put(from('page/emoji.json'), JSON.stringify(rows))
await put(from('page/index.html'), await readFile(from('src/page/index.html')))
