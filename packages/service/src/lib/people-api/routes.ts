import { requestRoutesOf } from '@botwright/protocol'
import { peopleEndpoints } from './endpoints/index.ts'

/**
 * The facts that requests to the people's API are made from, derived from its table. The build replaces this module by the result as plain data, so
 * that clients load no schemas.
 */
export const peopleRoutes = requestRoutesOf(peopleEndpoints)
