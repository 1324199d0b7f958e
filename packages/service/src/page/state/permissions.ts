import type { Permission, Role } from '@botwright/protocol'
import type { PeopleMember, ServerView } from '../../people.ts'
import { person } from './store.ts'

/** Labels and hints for the permissions of a role (decisions row 10). */
export const permissionWords: Record<Permission, { label: string; hint: string }> = {
  manage_server: { label: 'Manage server', hint: 'Rename the server, add and remove bots' },
  manage_roles: { label: 'Manage roles', hint: 'Create roles, and assign roles below their own' },
  manage_channels: { label: 'Manage channels', hint: 'Create, edit and delete channels and categories' },
  manage_messages: {
    label: 'Manage messages',
    hint: 'Delete messages of others, pin messages, and post in read-only channels',
  },
  manage_webhooks: { label: 'Manage webhooks', hint: 'Create and delete channel webhooks' },
  manage_nicknames: { label: 'Manage nicknames', hint: 'Change the nicknames of others' },
  kick_members: { label: 'Kick members', hint: 'Remove members; they can rejoin' },
  ban_members: { label: 'Ban members', hint: 'Ban members, and view and lift bans' },
  timeout_members: { label: 'Time out members', hint: 'Stop members from posting for a while' },
  move_members: { label: 'Move members', hint: 'Move people between voice channels, or disconnect them' },
  mention_everyone: { label: 'Mention everyone', hint: 'Use @everyone and @here' },
}
export const permissionNames = Object.keys(permissionWords) as Permission[]

/** Why an action is not allowed, or undefined if it is. */
export type Reason = string | undefined

export const mayNot = (view: ServerView, permission: Permission): Reason =>
  view.permissions.includes(permission) ? undefined : `Requires a role with “${permissionWords[permission].label}”`

/** The position of a member's highest role (decisions row 36). */
function topPosition(view: ServerView, userId: string): number {
  if (view.server.owner_id === userId) return Number.POSITIVE_INFINITY
  const held = view.members.find((each) => each.user_id === userId)?.roles ?? []
  return view.roles.reduce((top, role) => (held.includes(role.id) ? Math.max(top, role.position) : top), 0)
}
export const ownTopPosition = (view: ServerView): number => topPosition(view, person.value?.id ?? '')

/** Why the person may not act on a member (decisions row 28). */
export function mayNotActOn(view: ServerView, member: PeopleMember, permission: Permission): Reason {
  const missing = mayNot(view, permission)
  if (missing !== undefined) return missing
  if (member.user_id === view.server.owner_id) return 'This member owns the server'
  if (ownTopPosition(view) <= topPosition(view, member.user_id))
    return 'Requires a role above the highest role of this member'
  return undefined
}

/** Why a role may not be changed or assigned (decisions row 36). */
export const mayNotUse = (view: ServerView, role: Role): Reason =>
  mayNot(view, 'manage_roles') ??
  (role.position < ownTopPosition(view) ? undefined : 'You can change only roles below your own highest role')
