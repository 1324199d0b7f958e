export { build } from './lib/build.ts'
export { commands } from './lib/command-line/table.ts'
