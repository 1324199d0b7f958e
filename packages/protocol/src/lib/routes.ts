import { endpointsByName } from './endpoints.ts'
import { routesOf } from './route.ts'

/**
 * The routes of all endpoints (§4), derived from the table. The build writes the outcome in this module's place, as plain data:
 * a program that starts reads it without loading a schema.
 */
export const routes = routesOf(endpointsByName)
