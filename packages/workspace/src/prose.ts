import { fileURLToPath } from 'node:url'
import { listProse } from './lib/prose/check-prose.ts'
import { formatViolation } from './lib/checks/violation.ts'

// `node packages/workspace/bin/check.mjs --prose [folder …]`: lists every violation of the prose rules, also in exempt folders.
const root = fileURLToPath(new URL('../../../', import.meta.url))
const found = await listProse(root, process.argv.slice(3))
for (const violation of found) console.log(`${violation.kind.padEnd(8)} ${formatViolation(violation)}`)
console.log(`\n${found.length === 1 ? '1 violation' : `${found.length} violations`}`)
