import { type ChildProcess, execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { spawnChild } from './child-process.test.fixture.ts'

/** The redis-server of this computer; without one the tests of the cluster do not run, and log that. */
export const redisServer = [process.env['REDIS_SERVER'], '/usr/bin/redis-server', '/usr/local/bin/redis-server'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
)
const missing = 'NO REDIS FOUND, what many instances share is NOT tested; set REDIS_SERVER or install redis-server'
if (redisServer === undefined && process.env['CI'] !== undefined) throw new Error(missing)
if (redisServer === undefined) console.error(`\n!!! ${missing}\n`)

/** Tests that need Redis. Skipped, loudly, only on a developer's computer without one: where `CI` is set that is an error. */
export const describeWithRedis: (name: string, tests: () => void) => void = describe.skipIf(redisServer === undefined)
/** As `describeWithRedis`, and skipped for the same reason, for a single test. */
export const testWithRedis: (name: string, body: () => Promise<void>) => void = test.skipIf(redisServer === undefined)

/** Settings beside the usual ones; undefined takes one out. */
export type Settings = Readonly<Record<string, string | undefined>>

/** A Redis of the tests' own on a free port of this computer, with a folder of its own. */
export interface RedisRig extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly folder: string
  /** As a power cut does: the process is gone at once. */
  kill(): Promise<void>
  /** Ends it as an operator does. */
  stop(): Promise<void>
  /** Starts it again with what its folder holds. */
  start(): Promise<void>
  /** Freezes it, and lets it go on: a Redis that does not answer, and does not end its connections. */
  freeze(): void
  thaw(): void
  /** As on a full disk: none of its files can grow; and as before. */
  fillDisk(): Promise<void>
  emptyDisk(): Promise<void>
}

const usual: Settings = {
  bind: '127.0.0.1',
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
  save: '',
  'enable-debug-command': 'local',
  'shutdown-timeout': '1',
}

/** Starts a redis-server. `scheme` and `userinfo` are those of its URL. */
export async function startRedis(
  settings: Settings = {},
  { scheme = 'redis', userinfo = '' }: { scheme?: string; userinfo?: string } = {},
): Promise<RedisRig> {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-redis-'))
  const port = await freePort()
  const all: Settings = {
    ...usual,
    [scheme === 'rediss' ? 'tls-port' : 'port']: String(port),
    ...settings,
    dir: folder,
  }
  if (scheme === 'rediss') mkdirSync(folder, { recursive: true })
  const args = Object.entries({ ...(scheme === 'rediss' && { port: '0' }), ...all }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...(value === '' ? [''] : value.split(' '))],
  )
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()
  const end = async (signal: NodeJS.Signals) => {
    child?.kill(signal)
    child?.kill('SIGCONT')
    await ended
  }
  const start = () =>
    new Promise<void>((resolve, reject) => {
      let said = ''
      const one = spawnChild(redisServer!, args)
      child = one
      ended = new Promise((over) => one.once('exit', () => over()))
      const hear = (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes('Ready to accept connections')) resolve()
      }
      one.stdout!.on('data', hear)
      one.stderr!.on('data', hear)
      one.once('error', reject)
      one.once('exit', (code) => reject(new Error(`redis-server ended (${code}):\n${said}`)))
    })
  try {
    await start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    url: `${scheme}://${userinfo === '' ? '' : `${userinfo}@`}127.0.0.1:${port}`,
    port,
    folder,
    start,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    fillDisk: () => limitFiles(child!.pid!, '1'),
    emptyDisk: () => limitFiles(child!.pid!, 'unlimited'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function limitFiles(pid: number, bytes: string): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

/**
 * Below the ports that systems give to connections, so that none takes it before this Redis starts, or while it is stopped. A node of a Redis
 * Cluster also uses the port that is 10,000 higher.
 */
async function freePort(): Promise<number> {
  const port = randomInt(10_000, 20_000)
  const isFree = await new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}

/** Files of an authority, and of a certificate that it has signed for 127.0.0.1. */
export async function makeAuthority(folder: string): Promise<{ ca: string; cert: string; key: string }> {
  mkdirSync(folder, { recursive: true })
  const [ca, caKey, cert, key] = ['ca.pem', 'ca-key.pem', 'cert.pem', 'key.pem'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
    string,
  ]
  const fresh = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const openssl = promisify(execFile)
  await openssl('openssl', [...fresh, '-subj', '/CN=authority of the tests', '-keyout', caKey, '-out', ca])
  const signed = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-CA', ca, '-CAkey', caKey]
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE']
  await openssl('openssl', [...fresh, ...signed, ...leaf, '-keyout', key, '-out', cert])
  return { ca, cert, key }
}

/** Files of a certificate that signs itself, for these names. */
export async function makeCertificate(
  folder: string,
  names = 'IP:127.0.0.1,DNS:localhost',
): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=redis of the tests', '-addext', `subjectAltName=${names}`]
  const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await promisify(execFile)('openssl', [...make, ...subject, '-keyout', key, '-out', cert])
  return { cert, key }
}
