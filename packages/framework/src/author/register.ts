import type { Button } from '@botwright/protocol/shapes'
import type { Face } from './buttons/face.ts'

/**
 * The bot's names in `.framework/types.d.ts`: `framework dev`, `check`, `build` and `types` write it, and it extends this
 * interface. Until it exists, every name is allowed.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the generated file fills it
export interface Register {}

/** A member of the generated file, or the default without it. */
type Registered<Name extends string, Otherwise> = Register extends Record<Name, infer Known> ? Known : Otherwise

/** The names of the bot's commands: `'ping' | 'role add'`. */
export type CommandName = Registered<'commands', string>

/** The names of the bot's buttons: `'again' | 'poll/vote'`. */
export type ButtonName = Registered<'buttonNames', string>

/** Their parameters by name, null for none. */
type ButtonParams = Registered<'buttons', Record<string, unknown>>

/** The arguments after a button's name in `ctx.button(name, …)`: its parameters, if it has any, and its face. */
export type ButtonArguments<Name extends ButtonName> = Name extends keyof ButtonParams
  ? ArgumentsFor<ButtonParams[Name]>
  : [face: Face]

type ArgumentsFor<Params> = unknown extends Params
  ? [face: Face] | [params: Readonly<Record<string, unknown>>, face: Face]
  : Params extends null
    ? [face: Face]
    : [params: Params, face: Face]

/** Creates a button of the file with this name. */
export type ButtonMaker = (name: string, ...rest: readonly unknown[]) => Button

/** The type of `ctx.env` if `bot.config.ts` has no `env: z.object({ … })`. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the compiler shows its name
export interface NoEnvInBotConfig {}

/** The variables that `bot.config.ts` declares, with their types. */
export type Env = Registered<'env', Readonly<Record<string, unknown>>>

/** The bot's states by the names of their files, each with the type of its declaration. */
export type States = Registered<'states', Record<never, never>>

/** The additions of plugins to every `ctx`: a plugin's package adds a field here for each addition of its `context.ts`. */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled in from outside
export interface ContextAdditions {}

type Tasks = Registered<'tasks', Record<string, unknown>>

/** The names of the bot's tasks: `'daily' | 'reminders'`. */
export type TaskName = Registered<'taskNames', string>

/** The payload of a task. */
export type PayloadOf<Name extends TaskName> = Name extends keyof Tasks ? Payload<Tasks[Name]> : unknown

type Payload<Task> = Task extends { takes?: (payload: infer Given) => void } ? Given : unknown

/** The arguments after the time in `ctx.schedule(name, when, …)`. */
export type PayloadArguments<Name extends TaskName> =
  undefined extends PayloadOf<Name>
    ? [payload?: PayloadOf<Name>]
    : unknown extends PayloadOf<Name>
      ? [payload?: unknown]
      : [payload: PayloadOf<Name>]
