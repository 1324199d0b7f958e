import { type BotEvent, laneKey } from '@botwright/framework/cluster'

/** Changes when keys or values on Redis change their meaning: instances of two layouts do not run together. */
export const LAYOUT = 2

/** How many partitions a bot gets unless `framework cluster partitions` changes it. */
export const DEFAULT_PARTITIONS = 64
export const MAX_PARTITIONS = 1024

/** The partition of an event: all events of one queue (a channel's events, or the clicks on one message) share it. */
export const partitionOf = (event: BotEvent, partitions: number): number => hash(laneKey(event)) % partitions

/** FNV-1a with a final mix, so that ids which differ in one digit spread over all partitions. Part of the layout. */
export function hash(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
