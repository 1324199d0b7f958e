export { build } from './lib/build/build.ts'
export { commands } from './lib/command-line/table.ts'
