// Bundles the service's program (dist/lib/start/run-service.js and its imports) into dist/lib/start/program.js: one file starts in less than half
// the time of hundreds. Run it after the compiler. The bundle must be in lib/start/, because modules resolve files relative to it.
import { build } from 'esbuild'
import { rename } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const half = from(`dist/lib/start/program.js.${process.pid}`)

await build({
  entryPoints: [from('dist/lib/start/run-service.js')],
  outfile: half,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // SQLite resolves its native driver relative to itself; the picture libraries are loaded on first use.
  external: ['@botwright/sqlite', 'file-type', 'image-size'],
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
  },
  logLevel: 'warning',
})
await rename(half, from('dist/lib/start/program.js'))
