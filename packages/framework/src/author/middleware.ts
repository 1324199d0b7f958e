import type { TextOrMessageOrNothing } from './answer.ts'
import type { AnyContext, TaskContext } from './context.ts'
import { type Defined, definedAs } from './definition.ts'
import type { Guard } from './guards/guard.ts'
import { misspelledField } from './did-you-mean.ts'

/** Runs around handlers. Without a call of `next` the handler does not run; a returned text or message is the reply. */
export type MiddlewareRun = (ctx: AnyContext, next: () => Promise<void>) => TextOrMessageOrNothing

/** What `middleware(…)` gives: the default export of a `middleware.ts`. */
export interface MiddlewareDefinition extends Defined {
  readonly [definedAs]: 'middleware'
}

/** What a middleware is made of: guards for all handlers of its folder, a function around them, or both. */
export interface MiddlewareOptions {
  /** Asked before `run`, and before everything in the folders below; a cooldown just before the handler, when all else lets it through. */
  guards?: readonly Guard[]
  run?: MiddlewareRun
  /** Runs around tasks. Guards and `run` do not: they ask who did it, and a task is about nobody. */
  task?: (ctx: TaskContext, next: () => Promise<void>) => unknown
}

/**
 * Defines a middleware: the default export of a `middleware.ts`, which runs around every handler of its folder and those below,
 * inside of the middleware of the folders above: `middleware(async (ctx, next) => { … await next() … })`, `middleware({ guards: [serverOnly()] })`.
 * Around tasks runs what stands under `task`.
 */
export const middleware = (given: MiddlewareRun | MiddlewareOptions): MiddlewareDefinition => ({
  [definedAs]: 'middleware',
  run: passOn,
  ...(typeof given === 'function'
    ? { run: given }
    : { ...given, problem: misspelledField(given, { guards: true, run: true, task: true }) }),
})

const passOn: MiddlewareRun = (_ctx, next) => next()
