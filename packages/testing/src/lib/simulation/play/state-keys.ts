import type { Owner } from '@botwright/framework'

const ids: Readonly<Record<string, readonly (keyof Owner)[]>> = {
  user: ['user_id'],
  channel: ['channel_id'],
  server: ['server_id'],
  member: ['server_id', 'user_id'],
  bot: [],
  key: ['key'],
}
const key = /^(?:(.+)\/)?state:(\w+):([^:]*):(.*)$/s
const unpart = (text: string): string => text.replace(/%3A/g, ':').replace(/%25/g, '%')

/** The name of the state that a key of the store belongs to; that of a plugin begins with its name. */
export function readStateKey(stored: string): string {
  const [, plugin, , name = stored] = key.exec(stored) ?? []
  return plugin === undefined ? unpart(name) : `${plugin}/${unpart(name)}`
}

/** The owner of a stored value. */
export function readOwner(stored: string): Owner {
  const [, , scope = '', , rest = ''] = key.exec(stored) ?? []
  const parts = rest.split(':')
  return Object.fromEntries((ids[scope] ?? []).map((id, i) => [id, unpart(parts[i] ?? '')]))
}

export const isStateKey = (stored: string): boolean => key.test(stored)

const timer = 'task:timer:'

/**
 * The name of what the author's code writes: a state, or a task that it schedules. Undefined for writes of the framework, which has
 * records of its own and changes scheduled runs when they begin and fail.
 */
export function nameOfWrite(stored: string, value: unknown): string | undefined {
  if (isStateKey(stored)) return readStateKey(stored)
  if (!stored.startsWith(timer)) return undefined
  const { task, state, failures } = (value ?? {}) as { task?: string; state?: string; failures?: number }
  return state === 'waiting' && failures === undefined ? task : undefined
}
