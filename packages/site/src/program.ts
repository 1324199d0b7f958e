import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const usage = `Usage: npm run docs -- [build]

Serves the documentation on this computer and reloads a page when you save it.

Commands:
  build       builds the site in packages/site/dist/site

Options:
  -h, --help  print this help`

const root = fileURLToPath(new URL('../../../', import.meta.url))

async function build() {
  const { buildSite, foldersOf } = await import('./lib/build-site.ts')
  const problems = await buildSite(root)
  for (const line of problems) console.error(line)
  console.log(problems.length === 0 ? `the site is in ${foldersOf(root).site}` : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

async function serve() {
  const { assemble } = await import('./lib/assemble.ts')
  const { foldersOf } = await import('./lib/build-site.ts')
  const { folders } = await import('./lib/site-map.ts')
  const { writePages } = await import('./lib/write-pages.ts')
  const write = async () => writePages(await assemble(root), foldersOf(root))
  await write()
  const { createServer } = await import('vitepress')
  const server = await createServer(join(root, 'packages/site'), { host: '127.0.0.1' })
  await server.listen()
  server.printUrls()
  let waits: NodeJS.Timeout | undefined
  for (const folder of folders)
    watch(join(root, 'packages', folder, 'docs'), () => {
      clearTimeout(waits)
      waits = setTimeout(() => void write().catch(console.error), 100)
    })
}

const [typed, ...more] = process.argv.slice(2)
if (typed === '--help' || typed === '-h') console.log(usage)
else if (typed === 'build' && more.length === 0) await build()
else if (typed === undefined) await serve()
else {
  console.error(`error: unexpected argument "${typed === 'build' ? more[0] : typed}"\n\n${usage}`)
  process.exitCode = 2
}
