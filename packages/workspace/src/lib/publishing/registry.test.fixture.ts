import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.test.fixture.ts'
import { toolPath } from './tools.ts'

const run = promisify(execFile)

/** A registry of our own packages; every other package comes from npm's configured registry. */
export interface Registry extends AsyncDisposable {
  /** An environment in which npm finds and publishes `@botwright/…` here. */
  env: NodeJS.ProcessEnv
  /** The home folder of a user with only the settings of these registries, where every package manager reads them. */
  home: string
}

/** Without uplinks, it serves only packages published to it. */
const config = (folder: string) => `
storage: ${join(folder, 'storage')}
auth: { htpasswd: { file: ${join(folder, 'htpasswd')}, max_users: -1 } }
packages: { '**': { access: $all, publish: $all } }
max_body_size: 50mb
web: { enable: false }
log: { type: file, path: ${join(folder, 'log')}, level: warn }
`

/** Starts verdaccio with an empty storage inside `folder`. */
export async function startRegistry(folder: string): Promise<Registry> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'config.yaml')
  await writeFile(file, config(folder))
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
  return {
    env: await npmEnvironment(folder, npmrc),
    home: await makeHome(folder, host, npmrc),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const setting = async (name: string) => (await run('npm', ['config', 'get', name])).stdout.trim()

/** The text of an .npmrc: this machine's npm settings, except for our scope. */
async function npmSettings(host: string): Promise<string> {
  const own = await readFile(await setting('userconfig'), 'utf8').catch(() => '')
  // The machine's registry may be configured in a place that another package manager does not read. npm requires a token to publish; this registry accepts any.
  const ours = [
    `registry=${await setting('registry')}`,
    `@botwright:registry=http://${host}/`,
    `//${host}/:_authToken=anything`,
  ]
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
    npmRegistryServer: await setting('registry'),
    npmScopes: { botwright: { npmRegistryServer: `http://${host}` } },
    unsafeHttpWhitelist: ['127.0.0.1'],
    enableTelemetry: false,
  }
  await writeFile(join(home, '.yarnrc.yml'), JSON.stringify(yarn))
  return home
}
