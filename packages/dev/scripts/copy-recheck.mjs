// Copies the ReDoS checker into dist/recheck: its package would bring programs of 50 MB for each system along. Part of `npm run build`.
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = dirname(createRequire(import.meta.url).resolve('recheck/package.json'))
const to = fileURLToPath(new URL('../dist/recheck/', import.meta.url))
await mkdir(to, { recursive: true })
await copyFile(join(from, 'lib/browser.js'), join(to, 'recheck.cjs'))
await copyFile(join(from, 'LICENSE'), join(to, 'LICENSE'))
