import { BotwrightError, permissions as everyPermission, printableLine } from '@botwright/protocol/facts'
import type { Permission } from '@botwright/protocol/shapes'
import { foldName, lookOf } from '@botwright/protocol/typed-text'
import type { ProgramIo } from '@botwright/framework/start'
import type { ServerView } from '@botwright/service/people'
import { createTerminal } from '../terminal/terminal.ts'
import { findService, PersonAtService } from './person.ts'

export interface RoleOptions {
  /** The name of a person or of a bot. */
  who: string
  /** The name of the role, in any case. */
  role: string
  /** The name of the server. Default: the first one that the account is in. */
  server: string | undefined
  /** Permissions that the role has afterwards, in addition to its own. */
  permissions: readonly Permission[]
  /** Takes the role away instead. */
  remove: boolean
  io: ProgramIo
  service: string | undefined
  json: boolean
}

/**
 * `framework role`: as the owner of a server, gives a person or a bot a role, which is created if necessary. Resolves with the exit code.
 */
export async function runRole(options: RoleOptions): Promise<number> {
  const { who, remove, json } = options
  const service = await findService(options.io.cwd, options.service)
  const account = await accountOf(service, options)
  const { server, roles, members } = serverOf(account, options.server)
  const server_id = server.id
  const ownerName = members.find(({ user_id }) => user_id === server.owner_id)?.username
  if (ownerName === undefined) throw new BotwrightError('ERR_CONFIG', `the server ${server.name} has no owner`)
  const owner = await PersonAtService.signIn(service, ownerName)
  const known = roles.find(({ name }) => name !== undefined && foldName(name) === foldName(options.role))
  if (remove && !known) {
    const names = roles.map(({ name }) => name).join(', ')
    const list = names === '' ? 'it has no roles' : `its roles: ${names}`
    throw new BotwrightError('ERR_CONFIG', `the server ${server.name} has no role "${options.role}"; ${list}`)
  }
  const permissions = everyPermission.filter(
    (one) => known?.permissions?.includes(one) || options.permissions.includes(one),
  )
  const role = known ?? (await owner.api.roles.create({ server_id, name: options.role, permissions })).role
  if (options.permissions.some((one) => !role.permissions?.includes(one)))
    await owner.api.settings.updateRole({ server_id, role_id: role.id, permissions })
  const member = { server_id, user_id: account.id, role_id: role.id }
  await (remove ? owner.api.moderation.removeRole(member) : owner.api.moderation.addRole(member))
  const name = role.name ?? options.role
  const created = known === undefined
  const given = options.permissions.length === 0 ? '' : ` with ${permissions.join(', ')}`
  createTerminal(options.io).print(
    json
      ? JSON.stringify({ ...member, role: name, created, has: !remove, permissions })
      : printableLine(
          `${who} ${remove ? 'no longer has' : 'has'} the ${created ? 'new ' : ''}role ${name}${given} in ${server.name}; the bot sees it within a minute, or after "framework clock +1m"`,
        ),
  )
  return 0
}

/** An account that gets a role, with its servers. */
interface Account {
  id: string
  username: string
  servers: readonly ServerView[]
  /** The problem of an account that is not in any server, with its fix. */
  inNoServer: string
}

/** A person, who is created if necessary, or a bot. Rejects with `ERR_REFUSED` if the service refuses the name. */
async function accountOf(service: URL, { who, service: given }: RoleOptions): Promise<Account> {
  try {
    const person = await PersonAtService.signIn(service, who, given)
    return { id: person.id, username: person.username, servers: await person.servers(), inNoServer: person.inNoServer }
  } catch (error) {
    // The service refuses to sign in a bot.
    const bot = error instanceof BotwrightError && error.code === 'ERR_REFUSED' ? await botOf(service, who) : undefined
    if (bot) return bot
    throw error
  }
}

/** The bot with a name, in the servers that people are in. */
async function botOf(service: URL, name: string): Promise<Account | undefined> {
  const anyone = await PersonAtService.signInFirst(service)
  const isIt = ({ username }: { username: string }) => username === name.normalize('NFC')
  const servers = (await anyone.serversOfAll()).filter(({ bots }) => bots.some(isIt))
  const bot = servers[0]?.bots.find(isIt)
  return bot && { id: bot.id, username: bot.username, servers, inNoServer: `${bot.username} is not in any server` }
}

function serverOf({ servers, username, inNoServer }: Account, name: string | undefined): ServerView {
  const found = name === undefined ? servers[0] : servers.find(({ server }) => lookOf(server.name) === lookOf(name))
  if (found) return found
  const own = servers.map(({ server }) => server.name).join(', ')
  throw new BotwrightError(
    'ERR_CONFIG',
    own === '' ? inNoServer : `${username} is not in a server "${name ?? ''}"; choose one of ${own}`,
  )
}
