import { foldName } from '@botwright/protocol/typed-text'
import type { Stage } from './stage.ts'

/** A member, as the service has it now. */
export interface Member {
  id: string
  username: string
  nickname: string | null
  /** Names of roles. */
  roles: string[]
  timeout_until: string | null
}

/** Reads a member as the owner of the server sees it. */
export async function memberOf(
  stage: Stage,
  { owner, username, server }: { owner: string; username: string; server: string | undefined },
): Promise<Member | undefined> {
  const session = await stage.session(owner)
  const view = await session.api.servers.get({ server_id: session.serverId(server) })
  const found = view.members.find((member) => foldName(member.username) === foldName(username))
  if (!found) return undefined
  const { user_id, nickname, timeout_until } = found
  const roles = view.roles.filter(({ id }) => found.roles.includes(id)).map(({ name }) => name)
  return { id: user_id, username: found.username, nickname, roles, timeout_until }
}
