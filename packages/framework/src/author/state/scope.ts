import { BotwrightError, lowerId } from '@botwright/protocol/facts'

/** The owner of a state's values: `member` is a person in one server, `user` the same person everywhere. */
export type Scope = 'user' | 'channel' | 'server' | 'member' | 'bot'
/** Every scope of a stored value: those of a state per key have keys that its author chooses. */
export type AnyScope = Scope | 'key'

/** The owner of a value. Missing ids are taken from the event. */
export interface Owner {
  user_id?: string
  channel_id?: string
  server_id?: string
  // Of a state per key.
  key?: string
}

/** The owner of a stored value: the ids of its scope. */
export type OwnerOf<S extends Scope> = Scope extends S
  ? Owner
  : {
      user: { user_id: string }
      channel: { channel_id: string }
      server: { server_id: string }
      member: { server_id: string; user_id: string }
      bot: Owner
    }[S]

/** The ids that identify an owner of a scope, the widest first: the members of one server are adjacent. */
export const idsOf: Readonly<Record<AnyScope, readonly (keyof Owner)[]>> = {
  user: ['user_id'],
  channel: ['channel_id'],
  server: ['server_id'],
  member: ['server_id', 'user_id'],
  bot: [],
  key: ['key'],
}

/** A part of a key: `:` only occurs between parts. */
export const part = (text: string): string => text.replace(/[%:]/g, (sign) => (sign === '%' ? '%25' : '%3A'))
const unpart = (text: string): string => text.replace(/%3A/g, ':').replace(/%25/g, '%')

const where: Readonly<Record<keyof Owner, string>> = {
  user_id: 'has no user',
  channel_id: 'has no channel',
  server_id: 'has no server (it is a direct message)',
  key: 'has no key',
}

/** The prefix of all values of a state, or of those of one server's members. */
export const statePrefix = (scope: AnyScope, name: string): string => `state:${scope}:${part(name)}:`

/** The key of one owner's value. Throws `ERR_INVALID_REQUEST` if the event has no such owner. */
export function stateKey(scope: AnyScope, name: string, owner: Owner): string {
  return statePrefix(scope, name) + idsOf[scope].map((id) => part(ownerId(scope, name, owner, id))).join(':')
}

/** One id of an owner. */
export function ownerId(scope: AnyScope, name: string, owner: Owner, id: keyof Owner): string {
  const value = owner[id]
  if (value) return id === 'key' ? value : lowerId(value)
  const other =
    scope === 'server' || scope === 'member' ? ` Handle such events first (ctx.${id} is null there), or` : ''
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `state "${name}" is stored per ${scope}, and this event ${where[id]}.${other === '' ? ' Pass' : `${other} pass`} the owner: { ${id} }`,
  )
}

export const memberPrefix = (name: string, server_id: string): string =>
  `${statePrefix('member', name)}${part(server_id)}:`

/** The owner in a key. */
export function ownerOf(scope: AnyScope, name: string, key: string): Owner {
  const parts = key.slice(statePrefix(scope, name).length).split(':')
  return Object.fromEntries(idsOf[scope].map((id, i) => [id, unpart(parts[i] ?? '')]))
}

/** The parts of a store's key, if it belongs to a state: a plugin's key begins with the plugin's name. */
export function readStateKey(
  key: string,
): { plugin?: string; name: string; scope: AnyScope; owner: Owner } | undefined {
  const [, plugin, scope, name] = /^(?:(.+)\/)?state:(\w+):([^:]*):/s.exec(key) ?? []
  if (scope === undefined || name === undefined || !Object.hasOwn(idsOf, scope)) return undefined
  const own = plugin === undefined ? key : key.slice(plugin.length + 1)
  const known = unpart(name)
  return {
    ...(plugin !== undefined && { plugin }),
    name: known,
    scope: scope as AnyScope,
    owner: ownerOf(scope as AnyScope, known, own),
  }
}
