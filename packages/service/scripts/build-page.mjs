// Builds the web page of the local chat service into page/: one script, one style sheet, no request to any other place.
import { build } from 'esbuild'
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await mkdir(from('page'), { recursive: true })
await build({
  entryPoints: [from('src/page/main.tsx')],
  outfile: from('page/app.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: from('src/page/tsconfig.json'),
  legalComments: 'none',
  logLevel: 'warning',
})
await copyFile(from('src/page/index.html'), from('page/index.html'))
