import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { World } from '@botwright/service'
import { defaultWorld } from '@botwright/service/default-world'
import { BotwrightError } from '@botwright/protocol/facts'
import { botNameOf } from './bot-files.ts'
import { freePort, startServiceChild, type ServiceChild } from './service-child.ts'

export interface LocalServiceOptions {
  root: string
  /** Undefined: 7420 or the next free one. 0: any. */
  port?: number
  /** A file that outlives the session; in memory when left out. */
  data?: string
}

/** The local service of a bot under development, and the bot's token there. */
export interface LocalService extends ServiceChild {
  token: string
  /** Set when the usual port was taken. */
  movedFrom?: number
}

const usualPort = 7420

/** Starts the local service with the default world and a bot named after the folder. */
export async function startLocalService({ root, port, data }: LocalServiceOptions): Promise<LocalService> {
  const stateDir = join(root, '.botwright')
  await mkdir(stateDir, { recursive: true })
  const worldFile = join(stateDir, 'world.json')
  const token = (await tokenIn(worldFile)) ?? `dev-${randomBytes(24).toString('base64url')}`
  // Only its owner may read it: it holds the bot's token.
  await writeFile(worldFile, `${JSON.stringify(defaultWorld(botNameOf(root), token), undefined, 2)}\n`, { mode: 0o600 })
  const used = port ?? (await freePort(usualPort))
  const child = await startServiceChild([
    ...['--port', String(used), '--world', worldFile, '--allow-loopback-webhooks'],
    ...(data === undefined ? ['--memory'] : ['--data', resolve(root, data)]),
  ])
  return { ...child, token, ...(port === undefined && used !== usualPort && { movedFrom: usualPort }) }
}

/** The token of the session before: a data file that is gone on from knows no other. */
async function tokenIn(worldFile: string): Promise<string | undefined> {
  try {
    const world = JSON.parse(await readFile(worldFile, 'utf8')) as World
    return world.bots?.[0]?.token
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new BotwrightError('ERR_CONFIG', `${worldFile}: cannot be read; remove it, and a new one is written`, {
      cause: error,
    })
  }
}
