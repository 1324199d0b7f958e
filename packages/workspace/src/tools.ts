import { installTools, toolsFolder } from './lib/publishing/tools.ts'

// Installs what the proofs of publishing need (.ci/run does it first). Without it their tests are skipped, and say so.
const done = await installTools()
console.log(`${done === 'there' ? 'already in' : 'installed into'} ${toolsFolder()}`)
