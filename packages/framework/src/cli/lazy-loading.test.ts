import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Tests resolve the monorepo's packages to their sources. */
const built = (file: string): string => file.replace('/src/', '/dist/').replace(/\.ts$/, '.js')

/** The files and the packages that a built module loads with its static imports, and theirs. */
async function allLoadedBy(entry: string): Promise<{ files: Set<string>; packages: Set<string> }> {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const walk = async (file: string): Promise<void> => {
    if (seen.has(file)) return
    seen.add(file)
    const code = await readFile(file, 'utf8')
    for (const [, specifier = ''] of code.matchAll(
      /(?:^|;)(?:import|export)(?:[^'"();=]*\bfrom)?\s*['"]([^'"]+)['"]/gm,
    )) {
      if (specifier.startsWith('.')) await walk(join(dirname(file), specifier))
      else if (specifier.startsWith('@botwright/')) await walk(built(createRequire(file).resolve(specifier)))
      else packages.add(specifier)
    }
  }
  await walk(join(dist, entry))
  return { files: seen, packages }
}

const loadedBy = async (entry: string) => (await allLoadedBy(entry)).packages

test.each(['bot/worker-main.js', 'index.js'])('a worker loads no third-party packages: %s', async (entry) => {
  expect([...(await loadedBy(entry))].filter((name) => !name.startsWith('node:'))).toEqual([])
})

test('a bot is loaded from few files, because each takes its time', async () => {
  for (const entry of ['joined/cli.js', 'joined/worker-main.js', 'joined/index.js'])
    expect([...(await allLoadedBy(entry)).files].map((file) => basename(file))).toHaveLength(5)
})

test('`framework start` does not import zod statically', async () => {
  const loaded = await loadedBy('cli/start-command.js')
  expect(loaded).not.toContain('zod')
  expect(loaded).toContain('pino')
})

test('a bot with a single instance does not load the cluster code', async () => {
  const { files, packages } = await allLoadedBy('cli/start-command.js')
  const cluster = [...files].filter((file) => file.includes('/cluster/')).map((file) => basename(file))
  expect(cluster).toEqual(['cluster-url.js'])
  expect(packages).not.toContain('ioredis')
})

test('`framework start` loads nothing of the development package but its table of commands', async () => {
  const { files, packages } = await allLoadedBy('../../dev/dist/index.js')
  expect([...files].map((file) => basename(file)).sort()).toEqual(['build.js', 'index.js', 'table.js'])
  expect([...packages]).toEqual([])
})
