// Switches something off or on, for the command line and the control room.

import type { StateStore } from '../../author/ports.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { SwitchedOff } from '../../link/switched-off.ts'
import { changeOff } from './switch-store.ts'
import { includes } from './switched-off.ts'

/** So much fits into a reply. */
const LONGEST_REASON = 500
const MOST = 500

export type Server = NonNullable<SwitchedOff['server']>
/** A file as far as its name requires it. */
export type Known = Pick<Definition, 'kind' | 'name' | 'file' | 'aliases'>

/** A change that is not possible, with the reason for the operator. */
export class SwitchError extends Error {}

interface Wanted {
  name: string
  server?: Server | undefined
  reason?: string | undefined
  sinceMs: number
}

/** Switches off; with another reason, only changes that. Throws a `SwitchError`. */
export async function switchOff(store: StateStore, wanted: Wanted): Promise<SwitchedOff> {
  const { name, server } = wanted
  const given = wanted.reason?.replaceAll(/\s+/g, ' ').trim() || undefined
  if (given !== undefined && given.length > LONGEST_REASON)
    throw new SwitchError(`the reason has ${given.length} characters: use at most ${LONGEST_REASON}`)
  if (server && /^(?:tasks\/|[A-Z]{3,10} )/.test(name))
    throw new SwitchError(`${name} belongs to no server: switch it off without a server`)
  let made: SwitchedOff | undefined
  await changeOff(store, (off) => {
    const same = off.find((one) => one.name === name && one.server?.id === server?.id)
    if (same && (given === undefined || given === same.reason)) throw new SwitchError(alreadyOff(same))
    const wider = off.find((one) => includes(one.name, name) && (!one.server || one.server.id === server?.id))
    if (!same && wider) throw new SwitchError(`${alreadyOff(wider)}, which includes ${name}${placeOf(server)}`)
    if (!same && off.length >= MOST) throw new SwitchError(`at most ${MOST} switches can be off`)
    made = {
      name,
      ...(server && { server }),
      ...(given !== undefined && { reason: given }),
      sinceMs: same?.sinceMs ?? wanted.sinceMs,
    }
    return [...off.filter((one) => one !== same), made]
  })
  return made!
}

/** Switches on: in one server, or everywhere. Returns what was off. Throws a `SwitchError`. */
export async function switchOn(store: StateStore, name: string, server?: Server): Promise<readonly SwitchedOff[]> {
  let ended: readonly SwitchedOff[] = []
  await changeOff(store, (off) => {
    ended = off.filter((one) => one.name === name && (!server || one.server?.id === server.id))
    const left = off.filter((one) => !ended.includes(one))
    // Without a server, a switch of one server is a reason to refuse only if there is nothing else to switch on.
    const isWider = ({ server: where }: SwitchedOff) => !where || where.id === server?.id || (!server && !ended.length)
    const wider = left.find((one) => includes(one.name, name) && isWider(one))
    if (wider)
      throw new SwitchError(
        `${name} is off${placeOf(server)} because of ${wider.name}${placeOf(wider.server)}: switch that on`,
      )
    if (ended.length === 0) throw new SwitchError(`${name} is not off${placeOf(server)}`)
    return left
  })
  return ended
}

const alreadyOff = ({ name, server, reason, sinceMs }: SwitchedOff): string =>
  `${name} is already off${placeOf(server)} since ${new Date(sinceMs).toISOString()}${reason === undefined ? '' : ` (${reason})`}`

/** ` in Workshop`, or nothing. */
export const placeOf = (server: Server | undefined): string => (server ? ` in ${server.name}` : '')

/** A row of the list, as JSON. */
export interface SwitchView {
  name: string
  server_id: string | null
  server: string | null
  reason: string | null
  since: string
}

export const switchView = ({ name, server, reason, sinceMs }: SwitchedOff): SwitchView => ({
  name,
  server_id: server?.id ?? null,
  server: server?.name ?? null,
  reason: reason ?? null,
  since: new Date(sinceMs).toISOString(),
})
