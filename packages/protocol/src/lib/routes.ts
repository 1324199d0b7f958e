import { endpointsByName } from './endpoints.ts'
import type { Route } from './route.ts'
import { routesOf } from './routes-of.ts'
import type { EndpointName } from './shapes.ts'

/**
 * The routes of all endpoints (§4), derived from the table. The build replaces this module by the result as plain data, so that
 * programs start without loading schemas.
 */
export const routes: Readonly<Record<EndpointName, Route>> = routesOf(endpointsByName)
