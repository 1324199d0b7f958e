export { build } from './lib/build.ts'
