import { BotwrightError, routes } from '@botwright/protocol/facts'
import type { Route } from '@botwright/protocol/facts'
import { planRequest, requestParts, type RequestParts, type RequestPlan } from '@botwright/protocol/requests'

/** An endpoint, prepared for its calls. */
export interface Plan extends RequestPlan<Route> {
  name: string
}

const table: Readonly<Record<string, Route>> = routes

/** The plan of an endpoint, with the base URL's own path in front of its path. Throws `ERR_INVALID_REQUEST` if there is no such endpoint. */
export function planOf(name: string, prefix: string): Plan {
  const route = Object.hasOwn(table, name) ? table[name] : undefined
  if (route === undefined) throw invalid(name, 'is not an endpoint of the bot interface')
  return { name, ...planRequest(route, prefix) }
}

/** The error of a call that is refused before it is sent. */
export const invalid = (endpoint: string, fact: string): BotwrightError =>
  new BotwrightError('ERR_INVALID_REQUEST', `${endpoint}: ${fact}`)

/** Whether the endpoint accepts any input that could be invalid. */
export const takesInput = ({ route }: Plan): boolean => route.params.length + route.query.length > 0 || route.body

/** Sorts the flat input of a call, which untyped callers may have left out. */
export function partsOf(plan: Plan, input: Record<string, unknown>): RequestParts {
  if (typeof input !== 'object' || input === null) throw invalid(plan.name, 'takes one object with its fields')
  return requestParts(plan, input)
}
