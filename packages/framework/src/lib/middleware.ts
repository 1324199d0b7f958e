import type { AnyContext } from './context/contexts.ts'
import { definedAs, type Defined } from './definition.ts'

/** Runs around handlers. Without a call of `next` the handler does not run; a returned text or message is the reply. */
export type MiddlewareRun = (ctx: AnyContext, next: () => Promise<void>) => unknown

export interface MiddlewareDefinition extends Defined {
  readonly [definedAs]: 'middleware'
}

/** Defines a middleware: the default export of a `middleware.ts`, which runs around every handler of its folder and those below. */
export const middleware = (run: MiddlewareRun): MiddlewareDefinition => ({ [definedAs]: 'middleware', run })
