import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { compileStart } from './compile-start.ts'
import { compiledName, loadStart } from './load-start.ts'

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url))

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

test.each(['bot/worker-main.js', 'index.js'])('a worker loads nothing but the house: %s', async (entry) => {
  expect([...(await loadedBy(entry))].filter((name) => !name.startsWith('node:'))).toEqual([])
})

test('`framework start` reads its first event before it loads a schema', async () => {
  const loaded = await loadedBy('cli/start-command.js')
  expect(loaded).not.toContain('zod')
  expect(loaded).toContain('pino')
})

test('a bot that runs on one machine loads nothing of what many machines need', async () => {
  const { files, packages } = await allLoadedBy('cli/start-command.js')
  const cluster = [...files].filter((file) => file.includes('/cluster/')).map((file) => basename(file))
  expect(cluster).toEqual(['cluster-url.js'])
  for (const name of ['ioredis', 'bullmq']) expect(packages).not.toContain(name)
})

/** What a process of its own knows when it has loaded `framework start`. */
async function loadingStart(expression: string): Promise<string[]> {
  const program = `require(${JSON.stringify(join(dist, 'joined/start-command.cjs'))}); console.log(${expression}.join('\\n'))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program])
  return stdout.trim().split('\n')
}

test('`framework start` and its worker run from a few files, as loading one takes as long as running it', async () => {
  expect(await loadingStart('Object.keys(require.cache)')).toEqual([join(dist, 'joined/start-command.cjs')])
  expect((await allLoadedBy('joined/worker-main.js')).files.size).toBeLessThanOrEqual(9)
})

test('loading `framework start` loads no part of Node that it does not use', async () => {
  const loaded = await loadingStart('process.moduleLoadList')
  expect(loaded).toContain('NativeModule net')
  for (const unused of ['http2', 'child_process', 'tls', 'inspector'])
    expect(loaded).not.toContain(`NativeModule ${unused}`)
})

test('a start takes what V8 compiled when the bot was built, where it belongs to the very same program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-compiled-'))
  const file = join(folder, compiledName)
  try {
    expect(loadStart(folder).quick).toBe(false)
    const compiled = await compileStart()
    await writeFile(file, compiled!)
    expect(loadStart(folder).quick).toBe(true)
    // Of another release; cut off; damaged, which V8 would not notice until it runs it.
    const bytes = Buffer.from(compiled!)
    for (const other of [
      Buffer.from(bytes).fill('0', 3, 6),
      bytes.subarray(0, 5000),
      Buffer.from(bytes).fill(0, 9000, 9010),
    ]) {
      await writeFile(file, other)
      expect(loadStart(folder).quick).toBe(false)
    }
    expect(loadStart(folder).startCommand).toBeInstanceOf(Function)
  } finally {
    await rm(folder, { recursive: true })
  }
})
