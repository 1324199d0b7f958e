import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const copy = promisify(execFile)

/** A built bot where it runs. */
export interface Production extends AsyncDisposable {
  /** The output so far. */
  log: () => string
  /** Resolves with the exit code once it has ended by itself. */
  ended: Promise<number | null>
  /** Resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Starts a build in a folder that has only it, the packages of `npm ci --omit=dev`, and `files`. */
export async function startProduction(
  dist: string,
  options: { env: Record<string, string>; files?: Record<string, string>; args?: readonly string[] },
): Promise<Production> {
  const { env, files = {}, args = [] } = options
  const place = await mkdtemp(join(tmpdir(), 'botwright-production-'))
  await copy('cp', ['-r', dist, join(place, 'dist')])
  await installProduction(place)
  for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text)
  const program = join(place, 'node_modules/@botwright/framework/bin/framework.cjs')
  const started = spawn(process.execPath, [program, 'start', 'dist', ...args], {
    cwd: place,
    env: { PATH: process.env['PATH'], ...env },
  })
  let log = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()))
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve))
  return {
    log: () => log,
    ended,
    stop: () => (started.kill('SIGTERM'), ended),
    async [Symbol.asyncDispose]() {
      started.kill('SIGKILL')
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** Installs the framework and its dependencies, and the database driver that create-bot adds for older versions of Node. */
async function installProduction(place: string): Promise<void> {
  const pending = ['@botwright/framework', 'libsql']
  for (const name of pending) {
    const from = join(checkout, 'node_modules', name)
    const to = join(place, 'node_modules', name)
    if (existsSync(to) || !existsSync(from)) continue
    await mkdir(dirname(to), { recursive: true })
    // A copy: a link would find the checkout's packages.
    await copy('cp', ['-rL', from, to])
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      await readFile(join(from, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string> | undefined>
    pending.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies))
  }
  expect(() => createRequire(join(place, 'x.js')).resolve('esbuild')).toThrow()
}
