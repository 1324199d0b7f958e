// Copies templates/ and the documentation's AGENTS.md into the package for publishing. Runs as part of `npm run build`.
import { cp, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = (path) => fileURLToPath(new URL(path, import.meta.url))
const half = from(`../templates.${process.pid}`)
/** Files that a bot creates when it runs in its template folder. */
const made = new Set(['node_modules', 'dist', '.botwright', '.framework', '.env', 'package-lock.json'])

await cp(from('../../templates'), half, { recursive: true, filter: (path) => !made.has(basename(path)) })
await cp(from('../../packages/site/docs/public/AGENTS.md'), `${half}/AGENTS.md`)
await rm(from('../templates'), { recursive: true, force: true })
await rename(half, from('../templates'))
