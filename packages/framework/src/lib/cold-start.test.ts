import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Tests resolve the house's packages to their sources. */
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
      /^(?:import|export .*from|import .*from|} from) ['"]([^'"]+)['"]/gm,
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

test.each(['lib/worker-main.js', 'index.js'])('a worker loads nothing but the house: %s', async (entry) => {
  expect([...(await loadedBy(entry))].filter((name) => !name.startsWith('node:'))).toEqual([])
})

test('`framework start` reads its first event before it loads a schema', async () => {
  const loaded = await loadedBy('lib/start-command.js')
  expect(loaded).not.toContain('zod')
  expect(loaded).toContain('pino')
})

test('a bot that runs on one machine loads nothing of what many machines need', async () => {
  const { files, packages } = await allLoadedBy('lib/start-command.js')
  const cluster = [...files].filter((file) => file.includes('/lib/cluster/')).map((file) => basename(file))
  expect(cluster).toEqual(['cluster-url.js'])
  for (const name of ['ioredis', 'bullmq']) expect(packages).not.toContain(name)
})

/** The file of the joined ones that another loads when it needs it. */
async function laterIn(entry: string, name: string): Promise<string> {
  const code = await readFile(join(dist, entry), 'utf8')
  return join('joined', new RegExp(`import\\("\\./(${name}-\\w+\\.js)"\\)`).exec(code)?.[1] ?? `no ${name}`)
}

test('`framework start` and its worker run from a few files, as loading one takes as long as running it', async () => {
  const program = 'joined/cli.js'
  const start = await allLoadedBy(await laterIn(program, 'start-command'))
  expect([...start.packages].filter((name) => !name.startsWith('node:'))).toEqual([])
  // With the loader of the native driver, which has to stand in its own package.
  expect(start.files.size).toBeLessThanOrEqual(4)
  expect((await allLoadedBy(program)).files.size).toBeLessThanOrEqual(4)
  expect((await allLoadedBy('joined/worker-main.js')).files.size).toBeLessThanOrEqual(8)
})

test('loading `framework start` loads no part of Node that it does not use', async () => {
  const file = pathToFileURL(join(dist, await laterIn('joined/cli.js', 'start-command'))).href
  const program = `await import(${JSON.stringify(file)}); console.log(process.moduleLoadList.join('\\n'))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const loaded = stdout.split('\n')
  expect(loaded).toContain('NativeModule net')
  for (const unused of ['http2', 'child_process', 'tls', 'inspector'])
    expect(loaded).not.toContain(`NativeModule ${unused}`)
})
