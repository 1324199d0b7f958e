export { buildSite, foldersOf } from './lib/build-site.ts'
export { assemble } from './lib/assemble.ts'
export { writePages } from './lib/write-pages.ts'
