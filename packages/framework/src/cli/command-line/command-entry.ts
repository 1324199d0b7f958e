import type { Command } from 'commander'

/** Under which heading of the help a command stands. */
export type CommandGroup = 'Every day' | 'Inspect a bot' | 'Running'

/** One command of the program `framework`: a row of the table. Its options are loaded when somebody asks for them. */
export interface CommandEntry {
  name: string
  group: CommandGroup
  /** What it does, in one line. */
  description: string
  /** Whole lines that can be typed as they are. */
  examples: readonly string[]
  load(): Promise<CommandModule>
  /** How it ends with an error that its user can mend; 1 where nothing is said. */
  exitCodeOf?: (error: unknown) => number
}

/** The module behind a command. */
export interface CommandModule {
  /**
   * Declares its arguments and options, and its action. The action tells the exit code by `done`: 0 fine, 1 something is wrong;
   * wrong usage (2) is what commander throws. What is slow to load is loaded by the action alone.
   */
  configure(command: Command, done: (code: number) => void): void
}
