import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makePrivateFolder } from '@botwright/framework/start'
import type { World } from '@botwright/service'
import { connectPeople } from '@botwright/service/people'
import { defaultWorld } from '@botwright/service/default-world'
import { BotwrightError } from '@botwright/protocol/facts'
import { decodeText } from '@botwright/protocol/text-file'
import { botNameOf } from '../files/bot-files.ts'
import { addressName } from './service-access.ts'
import { startOnFreePort, startServiceChild, type ServiceChild } from './service-child.ts'

export interface LocalServiceOptions {
  root: string
  /** Undefined: 7420 or the next free one. 0: any. */
  port?: number
  /** A file that outlives the session; without it, the data is in memory. */
  data?: string
  /** A file with people, servers, channels and bots; the first bot in it is the one that runs. */
  world?: string
  /** Allows event webhooks to this machine. */
  allowLoopbackWebhooks?: boolean
  /** Requires a key from its callers. */
  key?: boolean
}

/** The local service of a bot under development, and the bot's token there. */
export interface LocalService extends ServiceChild, AsyncDisposable {
  token: string
  /** The usernames of the existing people, the oldest first. */
  people(): Promise<readonly string[]>
  /** Set if the data file contains another world than that of `--world`. */
  unusedWorld?: string
  /** Set if the usual port was in use. */
  movedFrom?: number
}

const usualPort = 7420

/** Starts the local service with the world of a file, or the default one and a bot named after the folder. */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { root, port, data, world } = options
  const dataFile = data === undefined || data === ':memory:' ? undefined : resolve(root, data)
  const stateDir = join(root, '.botwright')
  makePrivateFolder(stateDir)
  const worldFile = join(stateDir, 'world.json')
  const given = world === undefined ? undefined : await worldIn(resolve(root, world))
  const token =
    (dataFile === undefined ? undefined : await tokenOfData(stateDir, dataFile)) ??
    given?.bots?.[0]?.token ??
    (await tokenIn(worldFile)) ??
    `dev-${randomBytes(24).toString('base64url')}`
  const inhabited = given ? withToken(given, token) : defaultWorld(botNameOf(root), token)
  // Only its owner may read it: it contains the bot's token.
  const part = `${worldFile}.${process.pid}`
  try {
    await writeFile(part, `${JSON.stringify(inhabited, undefined, 2)}\n`, { mode: 0o600 })
    await rename(part, worldFile)
  } catch (error) {
    // A partial file would block the next start.
    await rm(part, { force: true })
    throw error
  }
  const start = (on: number) =>
    startServiceChild([
      ...['--port', String(on), '--world', worldFile],
      // For `framework clock`, `fault` and `reset`. They can do nothing that people cannot do, and have the same protection.
      '--controls',
      options.allowLoopbackWebhooks ? '--allow-loopback-webhooks' : '--no-allow-loopback-webhooks',
      ...(options.key ? ['--key'] : []),
      ...(data === undefined ? ['--memory'] : ['--data', resolve(root, data)]),
    ])
  const { child, port: used } =
    port === undefined ? await startOnFreePort(usualPort, start) : { child: await start(port), port }
  // Other commands in this folder read it, because the port varies. With --key, it ends in #key=…, as the page's address does.
  const addressFile = join(stateDir, addressName)
  const address = child.baseUrl + new URL(child.page).hash
  const former = await textOf(addressFile)
  await writeFile(addressFile, address, { mode: 0o600 })
  const stop = async () => {
    // A later session in this folder has written its own. An earlier one may still run.
    const isOwn = (await textOf(addressFile)) === address
    if (isOwn && former !== undefined && (await isBotAt(former, token)))
      await writeFile(addressFile, former, { mode: 0o600 })
    else if (isOwn) await rm(addressFile, { force: true })
    await child.stop()
  }
  if (dataFile !== undefined && !child.resumed) await noteToken(stateDir, dataFile, token)
  const isNews = world !== undefined && (await noteWorld(stateDir, `${data}\n${world}`))
  const unusedWorld =
    child.resumed && isNews
      ? `${data} already contains a world, so ${world} is ignored; pass another file with --data to use it`
      : undefined
  return {
    ...child,
    stop,
    [Symbol.asyncDispose]: stop,
    token,
    people: () => peopleAt(child),
    ...(unusedWorld !== undefined && { unusedWorld }),
    ...(port === undefined && used !== usualPort && { movedFrom: usualPort }),
  }
}

/** Undefined if the file does not exist. */
const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)

const ANSWER_MS = 1000

/** Whether the bot with this token is at a local service. */
async function isBotAt(address: string, token: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/dev/v1/me', address), {
      headers: { authorization: `Bot ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    // It has ended.
    return false
  }
}

/** Read from the service, because a data file has people of its own. */
async function peopleAt({ page }: ServiceChild): Promise<string[]> {
  const { origin, hash } = new URL(page)
  const { people } = await connectPeople(() => ({ origin, key: hash.replace('#key=', '') })).sessions.list()
  return people.map(({ username }) => username)
}

async function worldIn(file: string): Promise<World> {
  const wrong = (fact: string) => new BotwrightError('ERR_CONFIG', `${file}: ${fact}`)
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw wrong(error.code === 'ENOENT' ? 'no such file (from --world)' : 'cannot be read')
  })
  const text = decodeText(bytes, file)
  let world: World | null
  try {
    world = JSON.parse(text) as World | null
  } catch {
    // The parser's own message would quote the file, which may contain a token.
    throw wrong('is not JSON')
  }
  if (Array.isArray(world?.bots) && world.bots[0]) return world
  throw wrong('the first bot in "bots" must be the running bot')
}

const withToken = (world: World, token: string): World => ({
  ...world,
  bots: (world.bots ?? []).map((bot, i) => (i === 0 ? { ...bot, token } : bot)),
})

/** The token of the previous session: a data file that continues it accepts no other. */
async function tokenIn(worldFile: string): Promise<string | undefined> {
  try {
    const world = JSON.parse(await readFile(worldFile, 'utf8')) as World
    return world.bots?.[0]?.token
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new BotwrightError('ERR_CONFIG', `${worldFile}: cannot be read; remove it to create a new one`, {
      cause: error,
    })
  }
}

/** The token of the bot in a data file that a session in this folder created. The file contains only its hash. */
async function tokenOfData(stateDir: string, dataFile: string): Promise<string | undefined> {
  return existsSync(dataFile) ? (await dataTokens(stateDir))[dataFile] : undefined
}

async function noteToken(stateDir: string, dataFile: string, token: string): Promise<void> {
  const known = await dataTokens(stateDir)
  if (known[dataFile] === token) return
  await writeFile(join(stateDir, tokensName), JSON.stringify({ ...known, [dataFile]: token }), { mode: 0o600 })
}

const tokensName = 'data-tokens.json'

/** An interrupted write loses them: the token of the previous session remains. */
const dataTokens = (stateDir: string): Promise<Readonly<Record<string, string>>> =>
  readFile(join(stateDir, tokensName), 'utf8')
    .then((text) => JSON.parse(text) as Readonly<Record<string, string>>)
    .catch(() => ({}))

/** Notes with which file of data a world was started. Returns false if the last start had the same two. */
async function noteWorld(stateDir: string, names: string): Promise<boolean> {
  const file = join(stateDir, 'started-world')
  if ((await textOf(file)) === names) return false
  await writeFile(file, names, { mode: 0o600 })
  return true
}
