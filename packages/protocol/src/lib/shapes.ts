// The types of the interface as plain interfaces, without their schemas: what clients and bots compile against. Zod's types alone
// would double what the compiler of a bot has to read.

import type { EventType } from './event-facts.ts'
import type { Calls, EventsData } from './shapes.generated.ts'

export type { ErrorCode } from './errors.ts'
export type { EventType } from './event-facts.ts'
export type { Method, Upload } from './route.ts'
export type * from './shapes.generated.ts'
export type { Permission } from './words.ts'

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

/** What the endpoint of a name takes, and gives. */
export type Input<N extends EndpointName> = Part<N, 'input'>
/** What a call of an endpoint gives. */
export type Output<N extends EndpointName> = Part<N, 'output'>
