// One of the processes of `npm run check` that compile, lint and format: started by lib/code/crew.ts.
import './sources.mjs'

await import('../src/lib/code/worker.ts')
