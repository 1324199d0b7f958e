/**
 * A resource at run time: what its declaration and the loaded bot share. Plain data, because a plugin may declare it with another copy of this
 * package.
 */
export interface Slot {
  /** Increases with each declaration: a module declares its resource after the modules that it imports. */
  readonly order: number
  readonly open: (ctx: never) => unknown
  readonly close: ((value: never) => unknown) | undefined
  state: 'declared' | 'open' | 'closed'
  value: unknown
  /** Its path, once a bot that has it is loaded. */
  file?: string
  /** The resource that opens before this one, while it does. */
  before?: string | undefined
  /** The bot that has it open, and how many loads of its code in this thread use it: loads may share an unchanged module. */
  owner?: string
  users: number
  /** Settles when it is open or closed. */
  changing?: Promise<unknown> | undefined
}

/** Shared by all copies of this package in a thread. */
const counter = Symbol.for('botwright.resources')

export function createSlot({ open, close }: Pick<Slot, 'open'> & Partial<Pick<Slot, 'close'>>): Slot {
  const shared = globalThis as { [counter]?: number }
  const order = (shared[counter] = (shared[counter] ?? 0) + 1)
  return { order, open, close, state: 'declared', value: undefined, users: 0 }
}

/** Why there is no value to read. */
export function whyNotOpen({ file, before, state }: Slot): string {
  if (file === undefined) return 'a resource is not open while modules load: read its value in a handler'
  if (state === 'closed') return `${file} is closed: its code has been replaced, or the bot has stopped`
  if (before === undefined) return `${file} is not open: read its value in a handler, not while modules load`
  return `${file} is not open yet, because it opens after ${before}. If they import each other, move what both need to a third file`
}
