import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../free-port.test.fixture.ts'
import { toolPath } from './tools.ts'

const run = promisify(execFile)
/** As this repository's lock file has it. */
const vite = fileURLToPath(new URL('.', import.meta.resolve('vite/package.json')))

/** A registry of our own packages; it passes every other package on from npm's configured registry. */
export interface Registry extends AsyncDisposable {
  /** An environment in which npm installs from here and publishes here. */
  env: NodeJS.ProcessEnv
  /** The home folder of a user with only the settings of these registries, where every package manager reads them. */
  home: string
}

/**
 * Our packages, and vite, are only those that were published to it. A release of vite may depend on a package that a mirror of the registry
 * does not offer yet, and a bot's test kit chooses its newest one. It asks the upstream registry once for each package, whose list of
 * versions may have megabytes.
 */
const config = (folder: string, upstream: string) => `
storage: ${join(folder, 'storage')}
auth: { htpasswd: { file: ${join(folder, 'htpasswd')}, max_users: -1 } }
uplinks: { npm: { url: '${upstream}', maxage: 1d } }
packages:
  '@botwright/*': { access: $all, publish: $all }
  vite: { access: $all, publish: $all }
  '**': { access: $all, proxy: npm }
max_body_size: 50mb
web: { enable: false }
log: { type: file, path: ${join(folder, 'log')}, level: warn }
`

/** Starts verdaccio with an empty storage inside `folder`. */
export async function startRegistry(folder: string): Promise<Registry> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'config.yaml')
  await writeFile(file, config(folder, await setting('registry')))
  const host = `127.0.0.1:${await freePort()}`
  const program = toolPath('verdaccio/bin/verdaccio')
  const child = spawn(process.execPath, [program, '--config', file, '--listen', host], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `http://${host}/`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`verdaccio ended with ${child.exitCode}; see ${folder}/log`)
    const answer = await fetch(`${url}-/ping`).catch(() => undefined)
    if (answer?.ok) break
    await pause(50)
  }
  const npmrc = await npmSettings(host)
  const env = await npmEnvironment(folder, npmrc)
  await run('npm', ['publish', '--ignore-scripts'], { cwd: vite, env })
  return {
    env,
    home: await makeHome(folder, host, npmrc),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const setting = async (name: string) => (await run('npm', ['config', 'get', name])).stdout.trim()

/** The text of an .npmrc: this machine's npm settings, except for the registry. */
async function npmSettings(host: string): Promise<string> {
  const own = await readFile(await setting('userconfig'), 'utf8').catch(() => '')
  // npm requires a token to publish; this registry accepts any.
  const ours = [`registry=http://${host}/`, `//${host}/:_authToken=anything`]
  return `${own}\n${ours.join('\n')}\n`
}

/**
 * A shell does not pass variables with the names of these settings on to programs, so they are in a file. The cache has separate folders, so
 * that npm does not run a scaffolder of an earlier run; downloads are shared.
 */
async function npmEnvironment(folder: string, npmrc: string): Promise<NodeJS.ProcessEnv> {
  const cache = join(folder, 'npm')
  await mkdir(cache)
  await symlink(join(await setting('cache'), '_cacache'), join(cache, '_cacache'), 'junction')
  const userconfig = join(folder, 'npmrc')
  await writeFile(userconfig, npmrc, { mode: 0o600 })
  const settings = { userconfig, cache, audit: 'false', fund: 'false' }
  const variables = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value])
  return { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>), CI: 'true' }
}

/** npm, pnpm, Yarn 1 and Bun read .npmrc; newer versions of Yarn have their own file. */
async function makeHome(folder: string, host: string, npmrc: string): Promise<string> {
  const home = join(folder, 'home')
  await mkdir(home)
  await writeFile(join(home, '.npmrc'), npmrc, { mode: 0o600 })
  const yarn = {
    npmRegistryServer: `http://${host}`,
    unsafeHttpWhitelist: ['127.0.0.1'],
    enableTelemetry: false,
    // It has just been published here.
    npmPreapprovedPackages: ['vite'],
  }
  await writeFile(join(home, '.yarnrc.yml'), JSON.stringify(yarn))
  return home
}
