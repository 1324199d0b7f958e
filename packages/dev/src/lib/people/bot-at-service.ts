import { BotwrightError } from '@botwright/protocol/facts'
import type { ProgramIo } from '@botwright/framework/start'
import { accessTo } from '../local-service/service-access.ts'
import type { PersonAtService } from './person.ts'
import { noResponse, readResponse } from './service-response.ts'

/** The bot that a person talks to. */
export interface BotAtService {
  id: string
  ownerId: string
}

/** Where a bot is looked for. */
export interface BotSearch {
  /** Its folder is that of the bot. */
  io: Pick<ProgramIo, 'cwd' | 'env'>
  /** Its username: for a service that is not that of the folder. */
  bot?: string | undefined
  /** Looks in the servers of all people. Default: in those of the person. */
  everywhere?: boolean
}

/**
 * The bot with a name, else the bot of the folder at this service, else the only bot in the servers. Rejects with `ERR_CONFIG`,
 * naming the bots to choose from, or with `ERR_REFUSED`.
 */
export async function findBot(person: PersonAtService, { io, bot, everywhere }: BotSearch): Promise<BotAtService> {
  const own = bot === undefined ? await botOfFolder(person, io) : undefined
  if (own) return own
  const views = await (everywhere ? person.serversOfAll() : person.servers())
  const where = everywhere ? `at ${person.service.host}` : `in the servers of ${person.username}`
  const all = new Map(views.flatMap(({ bots }) => bots.map((one) => [one.username, one])))
  const found = bot === undefined && all.size === 1 ? [...all.values()][0] : all.get((bot ?? '').normalize('NFC'))
  if (found) return { id: found.id, ownerId: found.owner_id }
  const names = [...all.keys()].sort().join(', ')
  throw new BotwrightError(
    'ERR_CONFIG',
    names === ''
      ? `there is no bot ${where}`
      : bot === undefined
        ? `there are several bots at ${person.service.host}; choose one of ${names} with --bot`
        : `there is no bot "${bot}" ${where}; choose one of ${names}`,
  )
}

/** Undefined if the folder is not that of a bot at this service. */
async function botOfFolder(person: PersonAtService, io: BotSearch['io']): Promise<BotAtService | undefined> {
  const access = await accessTo(io, person.service)
  if (!access) return undefined
  // Not a call of the bot: the journal of its calls must not contain it.
  const headers = { authorization: `Bot ${access.token}` }
  const answer = await fetch(new URL('/dev/v1/me', access.baseUrl), { headers }).catch((cause: unknown) => {
    throw noResponse(person.service, cause)
  })
  const { id, owner_id } = (await readResponse(answer, person.service, 'GET /dev/v1/me')) as Record<string, string>
  return { id: id!, ownerId: owner_id! }
}
