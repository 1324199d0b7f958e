import { BotwrightError } from '@botwright/protocol/facts'
import type { HandlerLog } from '../../author/context.ts'
import { type Defined, definedAs } from '../../author/definition.ts'
import { misspelledField } from '../../author/did-you-mean.ts'
import type { Env } from '../../author/register.ts'
import { createSlot, whyNotOpen } from './slot.ts'

/** The parameter of `open`. */
export interface ResourceContext {
  readonly env: Env
  readonly log: HandlerLog
  /** In a plugin: its options. */
  readonly options: unknown
  /** Aborts after 20 s. */
  readonly signal: AbortSignal
  /** Whether this is `framework replay --dry`: change nothing. */
  readonly dry: boolean
}

/** The definition of a resource. */
export interface ResourceOptions<T> {
  open: (ctx: ResourceContext) => T | Promise<T>
  /** Runs after the last handler of this code. It has 2 s. */
  close?: (value: T) => unknown
}

/** The default export of a file under `resources/`. */
export interface Resource<T> extends Defined {
  readonly [definedAs]: 'resource'
  /** The result of `open`. Throws `ERR_DEFINITION` while modules load, and `ERR_HANDLER` once it is closed. */
  readonly value: T
}

const fields: Readonly<Record<keyof ResourceOptions<unknown>, true>> = { open: true, close: true }

/**
 * Defines a resource, such as a database connection: the default export of a file under `resources/`. Each thread that runs the bot's handlers opens
 * it before the first one, and closes it after the last one. Handlers import the file: `db.value.prepare(…)`.
 */
export function resource<T>(options: ResourceOptions<T>): Resource<T> {
  const slot = createSlot({ open: options.open, close: options.close })
  const self: Defined & { readonly [definedAs]: 'resource' } = {
    [definedAs]: 'resource',
    run: (ctx) => options.open(ctx),
    payload: slot,
    problem: misspelledField(options, fields) ?? problemOf(options),
  }
  const get = (): T => {
    if (slot.state === 'open') return slot.value as T
    throw new BotwrightError(slot.state === 'closed' ? 'ERR_HANDLER' : 'ERR_DEFINITION', whyNotOpen(slot))
  }
  // Not enumerable: code that copies the fields of a definition would read it.
  return Object.defineProperty(self, 'value', { get }) as Resource<T>
}

function problemOf({ open, close }: { open: unknown; close?: unknown }): string | undefined {
  if (typeof open !== 'function') return 'has no open: give it a function that returns the value'
  return close === undefined || typeof close === 'function' ? undefined : 'close must be a function'
}
