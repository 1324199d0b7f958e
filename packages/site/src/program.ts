import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assemble } from './lib/assemble.ts'
import { buildSite, foldersOf } from './lib/build-site.ts'
import { writePages } from './lib/write-pages.ts'

// `npm run docs` serves the site and reloads on every save; `npm run docs -- build` builds it into packages/site/dist/site.
const root = fileURLToPath(new URL('../../../', import.meta.url))

if (process.argv[2] === 'build') {
  const problems = await buildSite(root)
  for (const line of problems) console.error(line)
  console.log(problems.length === 0 ? `the site is in ${foldersOf(root).site}` : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} else {
  const write = async () => writePages(await assemble(root), foldersOf(root))
  await write()
  const { createServer } = await import('vitepress')
  const server = await createServer(join(root, 'packages/site'), { host: '127.0.0.1' })
  await server.listen()
  server.printUrls()
  let waits: NodeJS.Timeout | undefined
  for (const folder of ['framework', 'dev', 'testing', 'languages', 'site'])
    watch(join(root, 'packages', folder, 'docs'), () => {
      clearTimeout(waits)
      waits = setTimeout(() => void write().catch(console.error), 100)
    })
}
