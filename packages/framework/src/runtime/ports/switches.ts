import type { SwitchedOff } from '../../link/switched-off.ts'

/** The switches of a bot, the same on all instances. */
export interface Switches {
  /** Undefined if nothing is. */
  readonly off: readonly SwitchedOff[] | undefined
  /** Reads it again, and never rejects. Undefined while it is not a second old, or if no other process can change it. */
  readonly refreshed: (() => Promise<void> | undefined) | undefined
  /** Whether a task or a route is off, by its name as of `SwitchedOff`. */
  isOff(name: string): Promise<boolean>
  /** This process has written a value. */
  onStoreWrite(key: string, value: unknown): void
}
