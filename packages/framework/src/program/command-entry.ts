import type { Command } from 'commander'
import type { CommandRun } from './program-io.ts'

/** The heading of the help that a command is listed under. */
export type CommandGroup = 'Everyday commands' | 'Talk to the bot' | 'Inspect a bot' | 'Running'

/** A row of `@botwright/dev`. One that replaces a command of the framework leaves out the fields that stay as they are. */
export type DevEntry = CommandEntry | (Pick<CommandEntry, 'name' | 'configure'> & Partial<CommandEntry>)

/** One command of the program `framework`: a row of the table. */
export interface CommandEntry {
  name: string
  group: CommandGroup
  /** One line. */
  description: string
  /** Complete command lines. */
  examples: readonly string[]
  /**
   * Declares the arguments, the options and the action of the command. Anything slow to load is imported by the
   * action.
   */
  configure(command: Command, run: CommandRun): void | Promise<void>
  /** The exit code for an error that the user can fix; 1 if omitted. */
  exitCodeOf?: (error: unknown) => number
}
