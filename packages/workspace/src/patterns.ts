import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { analyse } from '@botwright/dev/patterns'
import { keyOf, patternsToAnalyse, type Record, recordFile } from './lib/patterns/check-patterns.ts'
import { collectPatterns } from './lib/patterns/collect-patterns.ts'

// Analyzes every regular expression again and records which ones take linear time. Takes about a minute.
const root = fileURLToPath(new URL('../../../', import.meta.url))
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }
const patterns = patternsToAnalyse(await collectPatterns(root))
const verdicts = await analyse(patterns)
const keys = patterns.map(keyOf)
const record: Record = { recheck: version, linear: keys.filter((_, i) => verdicts[i] === undefined).sort() }
await writeFile(recordFile, `${JSON.stringify(record, null, 2)}\n`)
verdicts.forEach((verdict, i) => verdict && console.log(`${keys[i]}\n  ${verdict.text}`))
