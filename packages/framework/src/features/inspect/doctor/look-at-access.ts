import { systemClock } from '@botwright/clock'
import { createCall } from '@botwright/rest'
import { configuredUrl, reachCluster } from '../../stored-state/reach-cluster.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { valuesIn } from '../../stored-state/state-file.ts'
import { accessKey, lossesOf, lossTexts, nameOf, readAccess, type StoredAccess } from '../../access/access.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Of so many servers the access is read, and listed. */
const MOST_READ = 50
const MOST_LISTED = 5
const PATIENCE_MS = 8000
const AGAIN = 'run framework doctor again'

/** The channels, roles and permissions of the bot in its servers, compared with the last day of a bot with a health port. */
export async function lookAtAccess(options: {
  baseUrl: string
  token: string
  me: string
  stateDir: string
  io: Pick<ProgramIo, 'cwd' | 'env'>
}): Promise<Finding[]> {
  const { baseUrl, token, me } = options
  try {
    const stored = await storedAccess(options)
    await using call = createCall({ baseUrl, token, clock: systemClock, messageBudget: false })
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { servers } = await call('servers.list', {}, { signal })
    const lost: Finding[] = []
    const listed: Finding[] = []
    /** The servers that were not read, and why. */
    const unread: { name: string; reason: string }[] = []
    const lookedAt = servers.slice(0, MOST_READ)
    const gone = Object.keys({ ...stored?.servers, ...stored?.lost }).filter(
      (id) => !servers.some((one) => one.id === id),
    )
    const compare = (id: string, name: string, access?: StoredAccess['servers'][string]) => {
      const { losses } = lossesOf(id, { stored, access, nowMs: systemClock.now() })
      if (losses.length > 0) lost.push(lossOf(name, lossTexts(losses)))
    }
    // One after the other: other requests of the bot share its limits.
    for (const server of lookedAt) {
      const access = await readAccess(call, server, { me, signal }).catch((error: unknown) => {
        unread.push({ name: nameOf(server), reason: (error as Error).message })
      })
      if (!access) continue
      compare(server.id, access.name, access)
      const channels = Object.keys(access.channels).length
      const held = [...Object.values(access.roles).map((role) => `the role ${role}`), ...access.permissions]
      const seen = `in the server "${access.name}" the bot sees ${channels} ${channels === 1 ? 'channel' : 'channels'}`
      listed.push(ok('access', `${seen}${held.length === 0 ? ', without a role' : `, with ${held.join(', ')}`}`))
    }
    for (const id of gone) compare(id, stored?.servers[id]?.name ?? stored?.lost[id]?.name ?? id)
    const more = servers.length - unread.length - Math.min(listed.length, MOST_LISTED)
    return [
      ...lost,
      ...unreadIn(unread),
      ...listed.slice(0, MOST_LISTED),
      ...(more > 0 ? [ok('access', `${more} more ${more === 1 ? 'server' : 'servers'}`)] : []),
      ...(stored || servers.length === 0
        ? []
        : [
            ok(
              'access',
              'not compared: there are no earlier results. A running bot with a health port stores them every hour',
            ),
          ]),
    ]
  } catch (error) {
    return [warning('access', `could not be read: ${(error as Error).message}`, AGAIN)]
  }
}

/** The last look, from the state of the folder, or of the cluster. */
async function storedAccess({
  me,
  stateDir,
  io,
}: {
  me: string
  stateDir: string
  io: Pick<ProgramIo, 'cwd' | 'env'>
}): Promise<StoredAccess | undefined> {
  const configured = await configuredUrl(io.cwd, io.env)
  if (configured === undefined)
    return valuesIn(stateDir, accessKey).find(({ botId }) => botId === me)?.value as StoredAccess | undefined
  const { cluster, bot } = await reachCluster({ who: 'framework doctor', io, configured })
  return cluster.withStore(bot, async (store) => (await store.get(accessKey))?.value as StoredAccess | undefined)
}

/** One finding for all of them: of many servers, the last ones may be out of time. */
function unreadIn([first, ...others]: readonly { name: string; reason: string }[]): Finding[] {
  if (!first) return []
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return [warning('access', `could not be read in the server "${first.name}"${more}: ${first.reason}`, AGAIN)]
}

const lossOf = (server: string, lost: readonly string[]): Finding =>
  warning(
    'access',
    `in the server "${server}" the bot has lost ${lost.join(', ')} within the last day`,
    'ask a manager of the server to give its role or channel back, unless that was intended',
  )
