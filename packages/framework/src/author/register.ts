import type { Button } from '@botwright/protocol/shapes'
import type { Face } from './buttons/face.ts'

/**
 * What `.framework/types.d.ts` knows of a bot: `framework dev`, `check`, `build` and `types` write it, and it adds to this
 * interface. Until it is there every name is allowed.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the generated file fills it
export interface Register {}

/** What the generated file says of one thing, or what holds without it. */
type Registered<Name extends string, Otherwise> = Register extends Record<Name, infer Known> ? Known : Otherwise

/** The names of the bot's commands: `'ping' | 'role add'`. */
export type CommandName = Registered<'commands', string>

/** The names of the bot's buttons: `'again' | 'poll/vote'`. */
export type ButtonName = Registered<'buttonNames', string>

/** Their parameters by their names, null where there are none. */
type ButtonParams = Registered<'buttons', Record<string, unknown>>

/** What stands behind a button's name in `ctx.button(name, …)`: its parameters, when it has some, and its face. */
export type ButtonArguments<Name extends ButtonName> = Name extends keyof ButtonParams
  ? ArgumentsFor<ButtonParams[Name]>
  : [face: Face]

type ArgumentsFor<Params> = unknown extends Params
  ? [face: Face] | [params: Readonly<Record<string, unknown>>, face: Face]
  : Params extends null
    ? [face: Face]
    : [params: Params, face: Face]

/** Makes a button of the file that has this name. */
export type ButtonMaker = (name: string, ...rest: readonly unknown[]) => Button

/** The type of `ctx.env` where `bot.config.ts` has no `env: z.object({ … })`. */
// oxlint-disable-next-line typescript/no-empty-object-type -- its name is what the compiler tells
export interface NoEnvInBotConfig {}

/** The variables that `bot.config.ts` declares, with their types. */
export type Env = Registered<'env', Readonly<Record<string, unknown>>>

/** The bot's states by the names of their files, each with the type of its declaration. */
export type States = Registered<'states', Record<never, never>>

/** What plugins put on every `ctx`: a plugin's package adds a field here for each that its `context.ts` makes. */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled in from outside
export interface ContextAdditions {}

type Tasks = Registered<'tasks', Record<string, unknown>>

/** The names of the bot's tasks: `'daily' | 'reminders'`. */
export type TaskName = Registered<'taskNames', string>

/** What a task is scheduled with. */
export type PayloadOf<Name extends TaskName> = Name extends keyof Tasks ? Payload<Tasks[Name]> : unknown

type Payload<Task> = Task extends { takes?: (payload: infer Given) => void } ? Given : unknown

/** What stands behind the time in `ctx.schedule(name, when, …)`. */
export type PayloadArguments<Name extends TaskName> =
  undefined extends PayloadOf<Name>
    ? [payload?: PayloadOf<Name>]
    : unknown extends PayloadOf<Name>
      ? [payload?: unknown]
      : [payload: PayloadOf<Name>]
