import type { Call } from '@botwright/rest'

/** The channels, roles and permissions of a bot in a server. */
export interface Access {
  name: string
  /** The names of the channels by id. */
  channels: Record<string, string>
  /** The names of its roles by id. */
  roles: Record<string, string>
  permissions: string[]
}

/** Something that a bot can no longer see or do in a server. */
export interface Loss {
  /** `channel:`, `role:` or `permission:` with its id or name; `server`. */
  key: string
  /** `the channel #news` */
  text: string
  atMs: number
}

/** The access of a bot in its servers as of the last look, and its losses of the last day, by server. */
export interface StoredAccess {
  servers: Record<string, Access>
  lost: Record<string, { name: string; losses: Loss[] }>
}

export const accessKey = 'server-access'
const DAY_MS = 86_400_000
const SERVER: Omit<Loss, 'atMs'> = { key: 'server', text: 'the whole server' }

/** Reads what a bot can see and do in a server. */
export async function readAccess(
  call: Call,
  { id: server_id, name }: Named,
  options: { me: string; signal?: AbortSignal },
): Promise<Access> {
  const { me, signal } = options
  const more = { ...(signal && { signal }) }
  const { channels } = await call('channels.listOfServer', { server_id }, more)
  const { roles } = await call('servers.roles', { server_id }, more)
  const { member } = await call('members.get', { server_id, user_id: me }, more)
  const held = new Set<unknown>(member.roles ?? [])
  const own = roles.filter(({ id }) => held.has(id))
  return {
    // Only the id of a server is certain (decisions row 9).
    name: nameOf({ id: server_id, name }),
    channels: namesOf(channels),
    roles: namesOf(own),
    permissions: [...new Set(own.flatMap(permissionsOf))].sort(),
  }
}

/** Adds the losses between the last look and this one, and leaves out those that are back, or older than a day. */
export function lossesOf(
  id: string,
  { stored, access, nowMs }: { stored: StoredAccess | undefined; access: Access | undefined; nowMs: number },
): { losses: Loss[]; added: Loss[] } {
  const last = stored?.servers[id]
  const isMissing = ({ key }: Pick<Loss, 'key'>) => !access || !parts(access).some((part) => part.key === key)
  // A clock that was set back has left losses in the future: they count as made now.
  const former = (stored?.lost[id]?.losses ?? []).map((loss) => ({ ...loss, atMs: Math.min(loss.atMs, nowMs) }))
  const known = former.filter((loss) => loss.atMs > nowMs - DAY_MS && isMissing(loss))
  const gone = !last ? [] : access ? parts(last).filter(isMissing) : [SERVER]
  const added = gone.map((part) => ({ ...part, atMs: nowMs }))
  return { losses: [...known, ...added], added }
}

/** So many lost channels have their names in a line. */
const MOST_NAMES = 5

/** `the channel #news`, `3 more channels` */
export function lossTexts(losses: readonly Loss[]): string[] {
  const channels = losses.filter(({ key }) => key.startsWith('channel:'))
  const others = losses.filter(({ key }) => !key.startsWith('channel:'))
  const more = channels.length - MOST_NAMES
  return [
    ...channels.slice(0, MOST_NAMES).map(({ text }) => text),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'channel' : 'channels'}`] : []),
    ...others.map(({ text }) => text),
  ]
}

const parts = ({ channels, roles, permissions }: Access): Omit<Loss, 'atMs'>[] => [
  SERVER,
  ...Object.entries(channels).map(([id, name]) => ({ key: `channel:${id}`, text: `the channel #${name}` })),
  ...Object.entries(roles).map(([id, name]) => ({ key: `role:${id}`, text: `the role ${name}` })),
  ...permissions.map((name) => ({ key: `permission:${name}`, text: `the permission ${name}` })),
]

interface Named {
  id: string
  name?: unknown
}

export const nameOf = ({ id, name }: Named): string => (typeof name === 'string' ? name : id)

const namesOf = (all: readonly Named[]): Record<string, string> =>
  Object.fromEntries(all.map((one) => [one.id, nameOf(one)]))

/** Not every service reports the permissions of roles. */
const permissionsOf = ({ permissions }: { permissions?: unknown }): string[] =>
  Array.isArray(permissions) ? permissions.map(String) : []
