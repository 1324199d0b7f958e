import { type BotEvent, laneKey } from '@botwright/framework/cluster'

/** What must be equal on all machines: an event goes to the same row wherever it is published. */
export const LAYOUT = 1
export const PARTITIONS = 32
export const CLICK_PARTITIONS = 8

/** Clicks whose automatic acknowledgement is due. */
export const ACKS = 'acks'

const plainRow = (n: number): string => `p${n}`
const clickRow = (n: number): string => `c${n}`

/** The rows of events, each of which runs one at a time over all machines. */
export const rows: readonly string[] = [
  ...Array.from({ length: PARTITIONS }, (_, n) => plainRow(n)),
  ...Array.from({ length: CLICK_PARTITIONS }, (_, n) => clickRow(n)),
]

/** Clicks have rows of their own: they are never behind a slow command. */
export const isClickRow = (row: string): boolean => row.startsWith('c')

/** The row of an event's lane. */
export function rowOf(event: BotEvent): string {
  const lane = laneKey(event)
  return lane.startsWith('click:') ? clickRow(hash(lane) % CLICK_PARTITIONS) : plainRow(hash(lane) % PARTITIONS)
}

/** FNV-1a with a last mix: ids that differ in one digit alone spread over all rows. Part of the layout. */
function hash(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
