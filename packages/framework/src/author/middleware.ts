import type { TextOrMessageOrNothing } from './answer.ts'
import type { AnyContext, TaskContext } from './context.ts'
import { type Defined, definedAs } from './definition.ts'
import type { Guard } from './guards/guard.ts'
import { misspelledField } from './did-you-mean.ts'

/** Runs around handlers. Without a call of `next` the handler does not run; a returned text or message is the reply. */
export type MiddlewareRun = (ctx: AnyContext, next: () => Promise<void>) => TextOrMessageOrNothing

/** The result of `middleware(…)`: the default export of a `middleware.ts`. */
export interface MiddlewareDefinition extends Defined {
  readonly [definedAs]: 'middleware'
}

/** The definition of a middleware: guards for all handlers of its folder, a function around them, or both. */
export interface MiddlewareOptions {
  /** Checked before `run` and everything in the folders below; a cooldown just before the handler, after everything else has passed. */
  guards?: readonly Guard[]
  run?: MiddlewareRun
  /** Runs around tasks. Guards and `run` do not apply to tasks, which no user triggers. */
  task?: (ctx: TaskContext, next: () => Promise<void>) => unknown
}

/**
 * Defines a middleware: the default export of a `middleware.ts`, which runs around every handler of its folder and those below,
 * inside the middleware of the folders above: `middleware(async (ctx, next) => { … await next() … })`, `middleware({ guards: [serverOnly()] })`.
 * `task` runs around tasks.
 */
export const middleware = (given: MiddlewareRun | MiddlewareOptions): MiddlewareDefinition => ({
  [definedAs]: 'middleware',
  run: passOn,
  ...(typeof given === 'function'
    ? { run: given }
    : { ...given, problem: misspelledField(given, { guards: true, run: true, task: true }) }),
})

const passOn: MiddlewareRun = (_ctx, next) => next()
