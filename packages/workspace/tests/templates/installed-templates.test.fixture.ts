import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findHome, scaffold, templateNames } from '@botwright/create-bot'
import { cacheFolder } from '../../src/lib/publishing/tools.ts'

export const home = findHome()
export const templates = templateNames(home)

export interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

export interface Ended {
  code: number
  output: string
}

/** The oldest and newest supported TypeScript. */
const beside = {
  'typescript-5.6': 'npm:typescript@5.6.3',
  'typescript-7': 'npm:typescript@7.0.2',
}

/** The linter and the formatter that create-bot can add besides ESLint and Prettier. */
const oxlint = new URL('../../../../create-bot/tooling/oxlint/', import.meta.url)
const addOxlint = async (folder: string) => {
  for (const file of ['.oxlintrc.json', '.oxfmtrc.json']) await cp(new URL(file, oxlint), join(folder, file))
}

/** The environment of a bot's author, without variables of this test run. */
export function cleanEnv(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  const npm = Object.entries(process.env).filter(([name]) => /^npm_config_(?:registry|cache)$/i.test(name))
  return { PATH, HOME, ...(Object.fromEntries(npm) as Record<string, string>), NO_COLOR: '1', ...more }
}

/** Runs a program with Node. */
export const run = (cwd: string, args: readonly string[], env = cleanEnv()): Promise<Ended> =>
  new Promise((resolve) =>
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    ),
  )

/** Every template as a bot outside the checkout, with packages packed and installed as by an author. */
export class InstalledTemplates implements AsyncDisposable {
  readonly root: string
  readonly installer: string

  private constructor(root: string, installer: string) {
    this.root = root
    this.installer = installer
  }

  /**
   * Packs and installs once: the bots need the same packages, which a test asserts, so all link to the same ones. One of them needs more.
   * Also installs other tools that a bot's author may use. The next run reuses an installation of the same packed files.
   */
  static async make(): Promise<InstalledTemplates> {
    const root = await mkdtemp(join(tmpdir(), 'botwright-templates-'))
    const [installer = ''] = templates
    const made = new InstalledTemplates(root, installer)
    try {
      await scaffold({ home, template: installer, folder: installer, cwd: root, linter: 'eslint' })
      await addOxlint(join(root, installer))
      await made.#install()
      for (const template of templates.slice(1)) {
        const published = { ...home, checkout: undefined }
        await scaffold({ home: published, template, folder: template, cwd: root, linter: 'eslint' })
        await addOxlint(join(root, template))
        await symlink(join(root, installer, 'node_modules'), join(root, template, 'node_modules'))
      }
      return made
    } catch (error) {
      await made[Symbol.asyncDispose]()
      throw error
    }
  }

  folder(template: string): string {
    return join(this.root, template)
  }

  /** Runs a command of the bot's program. */
  framework(template: string, ...args: string[]): Promise<Ended> {
    return run(this.folder(template), [program, ...args])
  }

  async #install(): Promise<void> {
    const folder = this.folder(this.installer)
    const file = join(folder, 'package.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest
    const { devDependencies } = JSON.parse(await readFile(new URL('package.json', oxlint), 'utf8')) as Manifest
    for (const template of templates) {
      const { devDependencies: own } = JSON.parse(
        await readFile(join(home.templates, template, 'package.json'), 'utf8'),
      ) as Manifest
      // Its own packages are packed.
      manifest.devDependencies = { ...own, ...manifest.devDependencies }
    }
    Object.assign(manifest.devDependencies, beside, devDependencies)
    await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
    const installed = join(cacheFolder(), `${CACHED}${await digestOf(folder)}`)
    if (!existsSync(installed)) {
      const half = `${installed}.${process.pid}`
      try {
        for (const name of PACKED) await cp(join(folder, name), join(half, name), { recursive: true })
        await npmInstall(half)
        // Another process may have been faster; its installation is the same.
        await rename(half, installed).catch((error: unknown) => {
          if (!existsSync(installed)) throw error
        })
      } finally {
        await rm(half, { recursive: true, force: true })
      }
    }
    await utimes(installed, new Date(), new Date())
    await removeUnused()
    await cp(join(installed, 'package-lock.json'), join(folder, 'package-lock.json'))
    await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}

/** The files that decide what npm installs. */
const PACKED = ['package.json', 'packages.local']
const CACHED = 'templates-'
/** Longer than any run of the tests takes. */
const UNUSED_MS = 2 * 60 * 60 * 1000

async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(folder, 'package.json')))
  const tarballs = await readdir(join(folder, 'packages.local'))
  for (const name of tarballs.toSorted()) hash.update(name).update(await readFile(join(folder, 'packages.local', name)))
  return hash.digest('hex').slice(0, 16)
}

async function npmInstall(folder: string): Promise<void> {
  const flags = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  const npm = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')
  const { code, output } = existsSync(npm)
    ? await run(folder, [npm, ...flags])
    : await run(folder, [
        '-e',
        `process.exitCode = require('child_process').spawnSync('npm', ${JSON.stringify(flags)}, { stdio: 'inherit' }).status`,
      ])
  if (code !== 0) throw new Error(`npm install failed: ${output}`)
}

/** Removes the installations of earlier builds, which runs no longer use. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(cacheFolder())) {
    const path = join(cacheFolder(), name)
    if (name.startsWith(CACHED) && Date.now() - (await stat(path)).mtimeMs > UNUSED_MS)
      await rm(path, { recursive: true, force: true })
  }
}

export const program = 'node_modules/@botwright/framework/bin/framework.cjs'
