import { endpointsByName } from './endpoints.ts'
import type { Route } from './route.ts'
import { routesOf } from './routes-of.ts'
import type { EndpointName } from './shapes.ts'

/**
 * The routes of all endpoints (§4), derived from the table. The build writes the outcome in this module's place, as plain data:
 * a program that starts reads it without loading a schema.
 */
export const routes: Readonly<Record<EndpointName, Route>> = routesOf(endpointsByName)
