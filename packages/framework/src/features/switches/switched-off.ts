// The names of files that can be switched off.

import type { Entry } from '../../author/files/entries.ts'
import { extension, withoutSource } from '../../author/files/file-name.ts'
import { isOwnEvent } from '../../author/did-you-mean.ts'
import type { SwitchedOff } from '../../link/switched-off.ts'

type Named = Pick<Entry, 'kind' | 'name' | 'file'>

/** The name by which a file is switched off; undefined if it cannot be. A file of an event has its path, because several files may handle the event. */
export function nameOf({ kind, name, file }: Named): string | undefined {
  if (kind === 'command') return `/${name}`
  if (kind === 'route') return name
  if (kind === 'event') return isOwnEvent(name) ? undefined : pathOf(file)
  return kind === 'button' || kind === 'task' ? `${kind}s/${name}` : undefined
}

export const pathOf = (file: string): string => withoutSource(file).replace(extension, '')

/** Whether switching off `name` switches off `other`: `/team` includes `/team add`. */
export const includes = (name: string, other: string): boolean =>
  name === other || (name.startsWith('/') && other.startsWith(`${name} `))

/** The row that switches a file off in a server; null for a direct message. */
export const offBy = (off: readonly SwitchedOff[], name: string, server_id: string | null): SwitchedOff | undefined =>
  off.find((one) => includes(one.name, name) && (!one.server || one.server.id === server_id))
