export { build } from './lib/build.ts'
export { runCommand } from './lib/run-command.ts'
