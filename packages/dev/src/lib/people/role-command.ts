import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import { foldName, lookOf } from '@botwright/protocol/typed-text'
import type { ProgramIo } from '@botwright/framework/start'
import type { ServerView } from '@botwright/service/people'
import { createTerminal } from '../terminal/terminal.ts'
import { findService, PersonAtService } from './person.ts'

export interface RoleOptions {
  who: string
  /** The name of the role, in any case. */
  role: string
  /** The name of the server. Default: the first one that the person is in. */
  server: string | undefined
  /** Takes the role away instead. */
  remove: boolean
  io: ProgramIo
  service: string | undefined
  json: boolean
}

/** `framework role`: as the owner of a server, gives a person a role, which is created if necessary. Resolves with the exit code. */
export async function runRole(options: RoleOptions): Promise<number> {
  const { who, remove, json } = options
  const person = await PersonAtService.signIn(await findService(options.io.cwd, options.service), who, options.service)
  const { server, roles, members } = await serverOf(person, options.server)
  const server_id = server.id
  const ownerName = members.find(({ user_id }) => user_id === server.owner_id)?.username
  if (ownerName === undefined) throw new BotwrightError('ERR_CONFIG', `the server ${server.name} has no owner`)
  const owner = await PersonAtService.signIn(person.service, ownerName)
  const known = roles.find(({ name }) => name !== undefined && foldName(name) === foldName(options.role))
  if (remove && !known) {
    const names = roles.map(({ name }) => name).join(', ')
    const list = names === '' ? 'it has no roles' : `its roles: ${names}`
    throw new BotwrightError('ERR_CONFIG', `the server ${server.name} has no role "${options.role}"; ${list}`)
  }
  const role = known ?? (await owner.api.roles.create({ server_id, name: options.role })).role
  const member = { server_id, user_id: person.id, role_id: role.id }
  await (remove ? owner.api.moderation.removeRole(member) : owner.api.moderation.addRole(member))
  const name = role.name ?? options.role
  const created = known === undefined
  createTerminal(options.io).print(
    json
      ? JSON.stringify({ ...member, role: name, created, has: !remove })
      : printableLine(
          `${who} ${remove ? 'no longer has' : 'has'} the ${created ? 'new ' : ''}role ${name} in ${server.name}; the bot sees it within a minute, or after "framework clock +1m"`,
        ),
  )
  return 0
}

async function serverOf(person: PersonAtService, name: string | undefined): Promise<ServerView> {
  const views = await person.servers()
  const found = name === undefined ? views[0] : views.find(({ server }) => lookOf(server.name) === lookOf(name))
  if (found) return found
  const own = views.map(({ server }) => server.name).join(', ')
  throw new BotwrightError(
    'ERR_CONFIG',
    own === '' ? person.inNoServer : `${person.username} is not in a server "${name ?? ''}"; choose one of ${own}`,
  )
}
