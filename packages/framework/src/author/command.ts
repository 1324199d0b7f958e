import type { TextOrMessageOrNothing } from './answer.ts'
import type { ArgsOf, ArgsShape } from './args/arg.ts'
import type { CommandContext } from './context.ts'
import type { Guard, ServerIdBehind } from './guards/guard.ts'
import { type Defined, definedAs } from './definition.ts'
import { misspelledField } from './did-you-mean.ts'

/** What a command is made of. */
export interface CommandOptions<S extends ArgsShape, G extends readonly Guard[] = readonly Guard[]> {
  /** Shown to people in the list of commands (§2, Command). */
  description: string
  /** Further words for it: `['p']` for `/p`. Those of a command without a folder are registered, and count (§8: 100). */
  aliases?: readonly string[]
  /** `/help` does not tell of it; it works all the same. */
  hidden?: boolean
  /** What is typed behind the command, in this order: `{ question: text(), minutes: integer().default(10) }`. */
  args?: S
  /** What may be typed behind it, for `/help` and after a mistake: `['"Tea?" yes no']`. Each must fit `args`. */
  examples?: readonly string[]
  /** Asked in this order before it runs: `[serverOnly(), cooldown('10s')]`. */
  guards?: G
  /** Runs when somebody types the command. A text or message that it returns is the reply. */
  run: (ctx: CommandContext<ArgsOf<S>, ServerIdBehind<G>>) => TextOrMessageOrNothing
}

const fields: Readonly<Record<keyof CommandOptions<ArgsShape>, true>> = {
  description: true,
  aliases: true,
  hidden: true,
  args: true,
  examples: true,
  guards: true,
  run: true,
}

/** What `command(…)` gives: the default export of a file under `commands/`. */
export interface CommandDefinition extends Defined {
  readonly [definedAs]: 'command'
}

/** Defines a command; the default export of a file under `commands/`, which gives it its name. */
export const command = <S extends ArgsShape = Record<never, never>, const G extends readonly Guard[] = readonly []>(
  options: CommandOptions<S, G>,
): CommandDefinition => ({
  [definedAs]: 'command',
  problem: misspelledField(options, fields),
  ...options,
})
