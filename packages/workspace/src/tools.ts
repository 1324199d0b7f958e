import { installTools, toolsFolder } from './lib/publishing/tools.ts'

// Installs the tools for the tests of publishing, as .ci/run does. Without them, these tests are skipped with a warning.
const done = await installTools()
console.log(`${done === 'there' ? 'already in' : 'installed into'} ${toolsFolder()}`)
