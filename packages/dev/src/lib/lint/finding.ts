import type { Node } from 'acorn'

/** A place in a bot's file that works differently from what its author expects; `message` is the fact and the fix. */
export interface Finding {
  node: Node
  message: string
}
