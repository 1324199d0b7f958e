import type { Permission, Role } from '@botwright/protocol'
import type { PeopleMember, ServerView } from '../../people.ts'
import { person } from '../store.ts'

/** The permissions of a role (decisions row 10) in the words of the page. */
export const permissionWords: Record<Permission, { label: string; hint: string }> = {
  manage_server: { label: 'Manage server', hint: 'Rename the server, add and remove bots' },
  manage_roles: { label: 'Manage roles', hint: 'Make roles and hand out those below their own' },
  manage_channels: { label: 'Manage channels', hint: 'Make, change and delete channels and categories' },
  manage_messages: { label: 'Manage messages', hint: 'Delete and pin messages of others, post in read-only channels' },
  manage_webhooks: { label: 'Manage webhooks', hint: 'Make channel webhooks' },
  manage_nicknames: { label: 'Manage nicknames', hint: 'Change the nicknames of others' },
  kick_members: { label: 'Kick members', hint: 'Remove members; they may come back' },
  ban_members: { label: 'Ban members', hint: 'Remove members for good, see and lift bans' },
  timeout_members: { label: 'Time out members', hint: 'Keep members from posting for a while' },
  move_members: { label: 'Move members', hint: 'Move people between voice channels, or disconnect them' },
  mention_everyone: { label: 'Mention everyone', hint: 'Ping everyone and here' },
}
export const permissionNames = Object.keys(permissionWords) as Permission[]

/** Why something may not be done, or undefined when it may. */
export type Reason = string | undefined

export const mayNot = (view: ServerView, permission: Permission): Reason =>
  view.permissions.includes(permission) ? undefined : `Needs a role with “${permissionWords[permission].label}”`

/** How high a member stands (decisions row 36). */
function heightOf(view: ServerView, userId: string): number {
  if (view.server.owner_id === userId) return Number.POSITIVE_INFINITY
  const held = view.members.find((each) => each.user_id === userId)?.roles ?? []
  return view.roles.reduce((top, role) => (held.includes(role.id) ? Math.max(top, role.position) : top), 0)
}
export const ownHeight = (view: ServerView): number => heightOf(view, person.value?.id ?? '')

/** Why the person may not act on a member (decisions row 28). */
export function mayNotActOn(view: ServerView, member: PeopleMember, permission: Permission): Reason {
  const missing = mayNot(view, permission)
  if (missing !== undefined) return missing
  if (member.user_id === view.server.owner_id) return 'Nobody acts on the owner of the server'
  if (ownHeight(view) <= heightOf(view, member.user_id)) return 'Needs a role above the highest of this member'
  return undefined
}

/** Why a role may not be changed or handed out (decisions row 36). */
export const mayNotUse = (view: ServerView, role: Role): Reason =>
  mayNot(view, 'manage_roles') ??
  (role.position < ownHeight(view) ? undefined : 'Only roles below your own highest can be changed')
