import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProgramIo, readEnv } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { DevEnv } from '../files/dev-env.ts'

/** The file with the address of the running service, in the folder of the bot's state. */
export const addressName = 'service.url'

export interface ServiceAccess {
  token: string
  baseUrl: string
  /** Whether it is the local service of a `framework dev` that runs in this folder. */
  local: boolean
}

/**
 * The bot's service and token, from its environment and its `.env`; without `BOT_TOKEN`, those of the local service that `framework dev` has started.
 * Rejects with `ERR_CONFIG`, naming missing variables.
 */
export async function serviceAccess(root: string, env: NodeJS.ProcessEnv): Promise<ServiceAccess> {
  const access = ownAccess(root, env) ?? (await localAccess(root))
  if (access) return access
  throw new BotwrightError(
    'ERR_CONFIG',
    'BOT_TOKEN is not set, and no "framework dev" is running here: set BOT_TOKEN and BOT_BASE_URL in .env, or start framework dev',
  )
}

/** The access of the bot in a folder to one service; undefined if the bot uses other services. */
export async function accessTo(
  { cwd: root, env }: Pick<ProgramIo, 'cwd' | 'env'>,
  service: URL,
): Promise<ServiceAccess | undefined> {
  const local = await localAccess(root)
  if (local && isAt(local.baseUrl, service)) return local
  // A copy: `framework mcp` asks again after a change of `.env`.
  const own = ownAccess(root, { ...env })
  return own && isAt(own.baseUrl, service) ? own : undefined
}

const isAt = (baseUrl: string, service: URL): boolean => addressOf(new URL(baseUrl)) === addressOf(service)
const addressOf = ({ protocol, hostname, port }: URL): string =>
  `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`

/** That of the environment and the `.env` of a folder. Throws `ERR_CONFIG` if a variable is wrong or missing. */
function ownAccess(root: string, env: NodeJS.ProcessEnv): ServiceAccess | undefined {
  new DevEnv(root, env).read()
  if (!env['BOT_TOKEN']) return undefined
  const { token, baseUrl } = readEnv(env)
  return { token, baseUrl, local: false }
}

async function localAccess(root: string): Promise<ServiceAccess | undefined> {
  const [token, baseUrl] = [await localToken(root), (await textIn(root, addressName))?.replace(/#.*/, '')]
  return token === undefined || baseUrl === undefined ? undefined : { token, baseUrl, local: true }
}

/** Undefined if the file does not exist. */
const textIn = (root: string, name: string): Promise<string | undefined> =>
  readFile(join(root, '.botwright', name), 'utf8').catch(() => undefined)

async function localToken(root: string): Promise<string | undefined> {
  try {
    const world = JSON.parse((await textIn(root, 'world.json')) ?? '{}') as { bots?: { token?: string }[] }
    return world.bots?.[0]?.token
  } catch {
    // Incomplete: dev writes it again at its next start.
    return undefined
  }
}
