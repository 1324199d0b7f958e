import type { TextOrMessageOrNothing } from './answer.ts'
import type { ArgsOf, ArgsShape } from './args/arg.ts'
import type { CommandContext } from './context.ts'
import type { DurableOption, MembersIf } from './durable.ts'
import { gathering } from './gather.ts'
import type { Guard, ServerIdBehind } from './guards/guard.ts'
import { type Defined, definedAs, type GatherOptions } from './definition.ts'
import { misspelledField } from './did-you-mean.ts'

/** The definition of a command. */
export interface CommandOptions<
  S extends ArgsShape,
  G extends readonly Guard[] = readonly Guard[],
  D extends true | undefined = undefined,
> extends DurableOption<D> {
  /** Shown in the list of commands (§2, Command). */
  description: string
  /** Other names: `['p']` for `/p`. Aliases of a command outside folders are registered and count (§8: 100). */
  aliases?: readonly string[]
  /** Omits the command from `/help`; it still works. */
  hidden?: boolean
  /** The input after the command, in this order: `{ question: text(), minutes: integer().default(10) }`. */
  args?: S
  /** Sample inputs, for `/help` and after invalid input: `['"Tea?" yes no']`. Each must fit `args`. */
  examples?: readonly string[]
  /** Checked in this order before it runs: `[serverOnly(), cooldown('10s')]`. */
  guards?: G
  /** Commands that follow each other quickly run it once. `ctx.events` has all of them; `ctx.args` are those of the last one. */
  gather?: GatherOptions
  /** Runs the command. A returned text or message is the reply. */
  run: (ctx: CommandContext<ArgsOf<S>, ServerIdBehind<G>> & MembersIf<D, ArgsOf<S>>) => TextOrMessageOrNothing
}

const fields: Readonly<Record<keyof CommandOptions<ArgsShape>, true>> = {
  description: true,
  aliases: true,
  hidden: true,
  args: true,
  examples: true,
  guards: true,
  gather: true,
  durable: true,
  timeout: true,
  version: true,
  onUpgrade: true,
  run: true,
}

/** The result of `command(…)`: the default export of a file under `commands/`. */
export interface CommandDefinition extends Defined {
  readonly [definedAs]: 'command'
}

/** Defines a command; the default export of a file under `commands/`, whose name is the command's name. */
export const command = <
  S extends ArgsShape = Record<never, never>,
  const G extends readonly Guard[] = readonly [],
  D extends true | undefined = undefined,
>(
  options: CommandOptions<S, G, D>,
): CommandDefinition => {
  const gathers = gathering(options)
  return {
    ...options,
    ...gathers,
    [definedAs]: 'command',
    problem: misspelledField(options, fields) ?? gathers.problem,
  }
}
