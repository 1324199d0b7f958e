// The types of the interface as plain interfaces, without schemas: clients and bots compile against these. Zod's types alone would
// double the work of a bot's compiler.

import type { EventType } from './schemas/event-facts.ts'
import type { Calls, EventsData } from './shapes.generated.ts'

export type { ErrorCode } from './errors.ts'
export type { EventType } from './schemas/event-facts.ts'
export type { Method, Upload } from './route.ts'
export type * from './shapes.generated.ts'
export type { Permission } from './text/words.ts'

/** The data of one event type. */
export type EventData<T extends EventType = EventType> = EventsData[T]

type Names<T> = { [G in keyof T & string]: `${G}.${keyof T[G] & string}` }[keyof T & string]

/** The name of an endpoint, such as `messages.create`. */
export type EndpointName = Names<Calls>

type Part<N extends EndpointName, P extends 'input' | 'output'> = N extends `${infer G extends keyof Calls}.${infer K}`
  ? K extends keyof Calls[G]
    ? Calls[G][K] extends Record<P, infer Found>
      ? Found
      : never
    : never
  : never

/** The input of an endpoint. */
export type Input<N extends EndpointName> = Part<N, 'input'>
/** The output of an endpoint. */
export type Output<N extends EndpointName> = Part<N, 'output'>
