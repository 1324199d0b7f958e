import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readEnv } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { DevEnv } from './dev-env.ts'

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
export async function serviceAccess(root: string): Promise<ServiceAccess> {
  new DevEnv(root).read()
  if (process.env['BOT_TOKEN']) {
    const { token, baseUrl } = readEnv(process.env)
    return { token, baseUrl, local: false }
  }
  const token = await localToken(root)
  const baseUrl = process.env['BOT_BASE_URL'] || (await textIn(root, addressName))?.replace(/#.*/, '')
  if (token === undefined || baseUrl === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      'BOT_TOKEN is not set, and no "framework dev" is running here: set BOT_TOKEN and BOT_BASE_URL in .env, or start framework dev',
    )
  return { token, baseUrl, local: true }
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
